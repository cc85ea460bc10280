import torch
from torch.optim import AdamW

first = torch.optim.Adam([])  # expect: advice.fused_optimizer
second = AdamW([])  # expect: advice.fused_optimizer
