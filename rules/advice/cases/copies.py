import torch
from torch.utils.data import DataLoader


def train(model, data, optimizer):
    for x in data:  # expect: advice.memory, advice.host_bound, advice.full_precision
        x = x.to("cpu", non_blocking=True)  # expect: advice.non_blocking
        model(x).sum().backward()
        optimizer.step()
