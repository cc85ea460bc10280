import torch

HAS_GPU = torch.cuda.is_available()


def place():
    return torch.device("cuda") if HAS_GPU else torch.device("cpu")


def check(x):
    return x.is_cuda == HAS_GPU


x = torch.ones(2, device=place())
assert check(x) and HAS_GPU
print(x.sum().item())
