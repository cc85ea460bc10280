import torch
import torch_npu
from apex import amp  # expect: third_party.ascend_fork
from apex.optimizers import NpuFusedSGD
from apex.parallel import DistributedDataParallel
from torch_npu.contrib import transfer_to_npu  # expect: advice.transfer_beside

torch.npu.set_compile_mode(jit_compile=True)  # expect: advice.jit_compile_on
torch.npu.set_compile_mode(jit_compile=False)  # expect: advice.jit_compile_off
torch.npu.set_option({"NPU_FUZZY_COMPILE_BLACKLIST": "NonZero"})  # expect: advice.fuzzy_blacklist
torch.npu.set_option({"ACL_OP_DEBUG_LEVEL": 0})  # ok: advice.fuzzy_blacklist
net = torch.nn.Linear(2, 2).npu()
weight = torch_npu.npu_format_cast(net.weight, 29)  # expect: advice.format_cast
bias = torch.ones(2).npu_format_cast(2)
form = torch_npu.get_npu_format(weight)  # ok: advice.format_cast
optimizer = NpuFusedSGD(net.parameters(), lr=0.1)  # expect: advice.apex_fused
other = torch_npu.optim.NpuFusedSGD(net.parameters(), lr=0.1)  # ok: advice.apex_fused
net, optimizer = amp.initialize(net, optimizer, opt_level="O2")  # expect: advice.apex_combine_grad
net, optimizer = amp.initialize(net, optimizer, opt_level="O2", combine_grad=True)  # ok: advice.apex_combine_grad
net = DistributedDataParallel(net)  # expect: advice.apex_parallel
