import torch
import torch_npu
x = torch.ones(1)
if x.device.type == 'npu' or 'npu' in str(x.device):
    pass
if str(x.device).startswith('npu'):
    pass
if x.is_npu:
    pass
if isinstance(x, (torch.npu.FloatTensor, torch.npu.HalfTensor)):
    pass
if x.type() == 'torch.npu.FloatTensor':
    pass
y = x.type(torch.npu.FloatTensor)
