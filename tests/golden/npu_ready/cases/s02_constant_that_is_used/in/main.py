import torch
from dev import name
DEVICE = "cuda"
def batch():
    return torch.ones(2, device=DEVICE)
print(torch.nn.Linear(2, 2).to(name())(batch()))
