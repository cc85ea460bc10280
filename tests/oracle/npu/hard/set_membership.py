import torch

x = torch.ones(2).cuda()
assert x.device.type in ("cuda", "xpu")
assert str(x.device).startswith("cuda")
print(x.sum().item())
