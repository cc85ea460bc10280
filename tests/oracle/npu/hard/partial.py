import functools
import torch

ones = functools.partial(torch.ones, device="cuda")
print(ones(2, 2).sum().item())
