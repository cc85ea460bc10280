import torch

settings = dict(device="cuda", requires_grad=True)
x = torch.ones(2, 2, **settings)
x.sum().backward()
print(x.grad.sum().item())
