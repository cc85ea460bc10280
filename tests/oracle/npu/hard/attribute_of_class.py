import torch


class Config:
    device = "cuda"
    dtype = torch.float32


def make(config):
    return torch.zeros(2, 2, device=config.device, dtype=config.dtype)


print(make(Config).add(1).sum().item())
