import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2)
device = torch.device("cuda")
print(sum(batch.to(device, non_blocking=True).sum().item() for batch, in loader))
