import torch

USE = {True: "cuda", False: "cpu"}
device = USE[torch.cuda.is_available()]
x = torch.arange(4, device=device)
print(x.sum().item(), device)
