import torch

torch.set_default_device("cuda")
x = torch.ones(2, 2)
assert x.is_cuda
print((x @ x).sum().item())
