import torch
from torch.utils.data import DataLoader


def train(model, data, optimizer, device):
    loader = DataLoader(data, batch_size=8, drop_last=True, num_workers=4, persistent_workers=True, pin_memory=True)
    for x, y in loader:  # expect: advice.memory, advice.host_bound, advice.full_precision
        x = x.to(torch.float32)  # ok: advice.move_waits
        x = x.to(device)  # expect: advice.move_waits
        y = y.to(device)  # ok: advice.move_waits
        model(x).sum().backward()
        optimizer.step()
