import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cuda":
    torch.cuda.empty_cache()
x = torch.ones(2).to(device)
assert x.device.type == device.split(":")[0]
print(x.sum().item())
