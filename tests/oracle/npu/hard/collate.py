import torch
from torch.utils.data import DataLoader


def collate(items):
    return torch.stack([torch.tensor(item) for item in items]).float().cuda(non_blocking=True)


loader = DataLoader([[1, 2], [3, 4], [5, 6]], batch_size=2, collate_fn=collate)
print(sum(batch.sum().item() for batch in loader))
