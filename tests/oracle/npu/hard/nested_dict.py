import torch

config = {"train": {"device": "cuda", "batch": 2}, "eval": {"device": "cuda", "batch": 1}}
for part in config.values():
    print(torch.ones(part["batch"], device=part["device"]).sum().item())
