import os
import torch

device = os.environ.get("TOY_DEVICE", "cuda")
print(torch.full((2, 2), 3.0, device=device).sum().item())
