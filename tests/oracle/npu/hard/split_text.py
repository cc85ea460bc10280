import torch

place = "cuda:0"
kind, index = place.split(":")
assert kind == "cuda"
print(torch.ones(2, device=torch.device(kind, int(index))).sum().item())
