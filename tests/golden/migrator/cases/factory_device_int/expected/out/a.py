import torch
import torch_npu
from torch import zeros
rank = 0
a = torch.zeros(2, device=rank)
b = zeros(2, device=rank)
c = a.new_zeros(2, device=rank)
e = torch.randn(2, 2, device=rank)
f = torch.zeros(2, device=torch.device('npu', rank))
g = torch.Generator(device=rank)
h = torch.rand(2, device="npu:%d" % rank)
