import torch

BACKENDS = {"cuda": "nccl", "cpu": "gloo"}
device = "cuda" if torch.cuda.is_available() else "cpu"
print(BACKENDS[device] != "gloo", torch.ones(1, device=device).item())
assert BACKENDS[device] != "gloo"
