import torch

x = torch.ones(2).cuda()
y = torch.zeros(2).type(x.type())
assert y.is_cuda
print((x + y).sum().item())
