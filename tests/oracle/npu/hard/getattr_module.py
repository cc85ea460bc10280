import torch

kind = "cuda"
module = getattr(torch, kind)
module.synchronize()
print(module.device_count() > 0, torch.ones(2, device=kind).sum().item())
