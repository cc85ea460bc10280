import torch

devices = [f"cuda:{i}" for i in range(torch.cuda.device_count())] or ["cpu"]
parts = [torch.ones(2, device=device).sum().item() for device in devices]
assert all(device != "cpu" for device in devices)
print(sum(parts) > 0)
