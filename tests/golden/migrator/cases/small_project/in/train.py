"""A training script as people write them."""
import argparse
import os

import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP

from pkg.model import Net

try:
    import flash_attn
except ImportError:
    flash_attn = None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    dist.init_process_group(backend="nccl")  # one process per card
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)

    model = DDP(Net().to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for step in range(10):
        x = torch.randn(8, 16, device=f"cuda:{local_rank}")
        with autocast():
            loss = model(x).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    torch.cuda.synchronize()
    print(torch.cuda.max_memory_allocated() / 2**20, "MB on cuda")  # prose stays


if __name__ == "__main__":
    main()
