import torch

kind = "cuda"
net = torch.nn.Linear(4, 4).to(kind)
with torch.autocast(device_type=kind, dtype=torch.bfloat16):
    y = net(torch.ones(2, 4, device=kind))
print(y.dtype)
