import math
import os

import torch
import torch.distributed
import torch.multiprocessing
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

batch_size = 8
BLOCK = dict(block_size=1024, n_embd=768)


def prepare(data):
    torch.multiprocessing.set_start_method("fork")  # expect: advice.fork
    torch.multiprocessing.set_start_method("spawn")  # ok: advice.fork
    torch.distributed.init_process_group("gloo")  # expect: advice.hccl_buffer, advice.hccl_network
    loader = DataLoader(data, batch_size=batch_size, drop_last=True)  # expect: advice.loader_workers, advice.loader_pin_memory
    DataLoader(data, 8, True, None, None, 0, None, True, True)  # expect: advice.loader_no_workers
    DataLoader(data, num_workers=4, pin_memory=True)  # expect: advice.loader_persistent_workers, advice.last_batch
    DataLoader(data, num_workers=4, pin_memory=True, persistent_workers=True)  # ok: advice.last_batch
    DataLoader(data, num_workers=0, pin_memory=True, drop_last=True)  # expect: advice.loader_no_workers
    return loader


def train(model, loader, optimizer):
    model = DistributedDataParallel(model)  # expect: advice.bucket
    scaler = torch.amp.GradScaler("cpu")  # expect: advice.grad_scaler
    total = 0.0
    ones = torch.ones(3, dtype=torch.float64)  # expect: advice.float64_made
    for i, x in enumerate(loader):  # expect: advice.no_sync, advice.memory, advice.host_bound, advice.parallel
        with torch.autocast("cpu"):  # expect: advice.autocast_dtype
            y = model(x)
            loss = nn.functional.gelu(y).mean()  # expect: advice.gelu, api.limited
        scaler.scale(loss).backward()
        total += loss.item()  # expect: advice.host_read
        values = loss.detach().cpu().tolist()  # expect: advice.host_read
        z = torch.exp(torch.ones(3))
        print(z)  # expect: advice.host_value
        print("loss", values)  # ok: advice.host_value
        if float(z) > 3:  # expect: advice.host_value
            weight = torch.tensor([1.0])  # expect: advice.constant_in_loop
        mask = z > 0
        z[mask] = 0  # expect: advice.mask_index
        z[z > 1] = 1  # expect: advice.mask_index
        z[i] = 1  # ok: advice.mask_index
        if torch.equal(z, ones):  # expect: advice.host_compare
            continue
        if i % 100 == 0:
            print(loss.item())  # ok: advice.host_read
        if (i + 1) % 4 == 0:
            scaler.step(optimizer)
    return math.sqrt(total), loss.item()  # ok: advice.host_read


torch.autograd.set_detect_anomaly(True)  # expect: advice.detect_anomaly
