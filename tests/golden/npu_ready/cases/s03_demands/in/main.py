import torch
from dev import name
def check():
    if not torch.cuda.is_available():
        raise RuntimeError("a GPU is needed")
assert torch.cuda.is_available()
check()
print(name())
