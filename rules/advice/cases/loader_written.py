import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

PIN = False
WORKERS: int = 0
KEPT = True


class Bytes(Dataset):
    def __init__(self, packed):
        self.packed = packed

    def __len__(self):
        return len(self.packed)

    def __getitem__(self, i):
        return torch.from_numpy(cv2.imdecode(np.frombuffer(self.packed[i], np.uint8), 1))  # expect: advice.decode_in_dataset


def loader_of(data, pin=False):
    return DataLoader(data, num_workers=4, pin_memory=pin, persistent_workers=True, drop_last=True)  # ok: advice.loader_no_pin_memory


def train(net, packed, options):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)  # expect: affinity.sgd
    data = Bytes(packed)
    loader = DataLoader(data, 8, num_workers=4, pin_memory=True, persistent_workers=KEPT, drop_last=False)  # expect: advice.last_batch_kept
    loader = DataLoader(data, 8, num_workers=4, pin_memory=PIN, persistent_workers=True, drop_last=True)  # expect: advice.loader_no_pin_memory
    loader = DataLoader(data, 8, num_workers=WORKERS, pin_memory=True, drop_last=True)  # expect: advice.loader_no_workers
    loader = DataLoader(data, **dict(batch_size=8, num_workers=0, pin_memory=True, drop_last=True))  # expect: advice.loader_no_workers
    loader = DataLoader(data, **{"num_workers": 4, "pin_memory": False, "persistent_workers": True, "drop_last": True})  # expect: advice.loader_no_pin_memory
    loader = DataLoader(data, **dict(batch_size=8, pin_memory=True, drop_last=True))  # expect: advice.loader_workers
    loader = DataLoader(data, **dict(options, drop_last=True))  # ok: advice.loader_workers
    loader = DataLoader(data, **{**options, "drop_last": True})  # ok: advice.loader_workers
    for x in loader:  # expect: advice.memory, advice.host_bound, advice.full_precision
        net(x).sum().backward()
        optimizer.step()
