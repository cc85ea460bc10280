import torch
import torch_npu
xs = [torch.ones(1)]
ys = list(map(torch.Tensor.npu, xs))
f = xs[0].npu
g = f()
h = torch.nn.Module.npu
is_avail = torch.npu.is_available
print(is_avail())
hook = torch.npu.synchronize
