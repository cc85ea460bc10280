from torch.cuda import synchronize as wait
import torch
from dev import name
print(torch.ones(1, device=name()))
wait()
