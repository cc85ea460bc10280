import torch

try:
    torch.cuda.init()
    device = torch.device("cuda", torch.cuda.current_device())
except (AssertionError, RuntimeError):
    device = torch.device("cpu")
assert device.type != "cpu"
print(torch.ones(2, device=device).sum().item())
