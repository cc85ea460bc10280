import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, data, optimizer):
    norm = torch.nn.BatchNorm1d(4)
    model = DistributedDataParallel(model, bucket_cap_mb=500)  # expect: advice.ddp_buffers
    for x in data:  # expect: advice.memory, advice.host_bound, advice.parallel
        with torch.autocast("npu", dtype=torch.bfloat16):  # ok: advice.full_precision
            loss = model(x).sum()
        loss.backward()
        optimizer.step()
