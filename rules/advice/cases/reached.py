import math

import torch
from torch.utils.data import DataLoader


def collate(batch):
    longest = max(len(item) for item in batch)  # expect: advice.collate_longest
    return torch.zeros(len(batch), longest)


def longest_of(batch):
    return max(len(item) for item in batch)  # ok: advice.collate_longest


def fixed_collate(batch):
    return max(item.weight for item in batch)  # ok: advice.collate_longest


def attend(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    lowest = scores.masked_fill(mask, torch.finfo(scores.dtype).min)  # ok: advice.inf_mask
    highest = scores.masked_fill(mask, math.inf)  # ok: advice.inf_mask
    return highest + lowest + scores.masked_fill(mask, float("-inf"))  # expect: advice.inf_mask


def near(scores: torch.Tensor) -> float:
    return scores.sum().item()  # expect: advice.host_read


def never(scores: torch.Tensor) -> float:
    return scores.sum().item()  # ok: advice.host_read


def train(net, optimizer, data, **options):
    loader = DataLoader(
        data, batch_size=8, drop_last=True, num_workers=4, persistent_workers=True, collate_fn=collate, pin_memory=True
    )
    loader = DataLoader(data, **options)  # ok: advice.loader_workers, advice.last_batch, advice.loader_pin_memory
    for x, y in loader:  # expect: advice.memory, advice.host_bound
        x = x.npu()  # expect: advice.copy_waits
        y = y.npu()  # ok: advice.copy_waits
        with torch.autocast("npu", dtype=torch.float16):
            loss = attend(net(x), y).mean() + near(x)
        loss.backward()
        optimizer.step()
