import torch
import torch_npu
from apex import amp  # expect: third_party.ascend_fork

torch.npu.config.allow_internal_format = True  # expect: advice.internal_format
net, optimizer = amp.initialize(net, optimizer, opt_level="O2", combine_grad=True)  # expect: advice.two_precisions
with torch.autocast("npu", dtype=torch.float16):
    net(x)
