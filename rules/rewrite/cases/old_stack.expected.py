import torch
import torch.npu  # expect: old_stack.module
from torch.npu import set_device  # expect: old_stack.module
from apex import amp  # expect: third_party.ascend_fork
from apex.optimizers import NpuFusedSGD

set_device(0)
net = torch.nn.Linear(2, 2).npu()
opt = NpuFusedSGD(net.parameters(), lr=0.1)  # expect: advice.apex_fused
net, opt = amp.initialize(net, opt, opt_level="O2", combine_grad=True)  # expect: old_stack.combine_grad
torch.npu.global_step_inc()  # expect: migrated.gone
