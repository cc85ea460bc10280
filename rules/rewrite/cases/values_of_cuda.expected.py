import torch
import torch_npu

x = torch.ones(4, device="npu")  # expect: device.string
wide = torch.float64 if x.is_cuda else torch.float32  # expect: method.is_cuda
if x.is_cuda:  # expect: method.is_cuda
    kind = torch.double
else:
    kind = torch.float32
near = torch.float32 if x.is_npu else torch.float64  # expect: method.is_cuda
