import torch

torch.cuda.reset_peak_memory_stats()
x = torch.ones(256, 256, device="cuda")
print(torch.cuda.memory_allocated() >= 0, torch.cuda.max_memory_allocated() >= 0, x.sum().item())
