import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

from corpus import batches
from model import LanguageModel


def worker(rank, size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "29501"
    dist.init_process_group("nccl", rank=rank, world_size=size)
    device = torch.device(f"cuda:{rank}")
    model = LanguageModel(32000, 512, 8, 12).to(device)
    model = DDP(model, device_ids=[rank], find_unused_parameters=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    scaler = torch.cuda.amp.GradScaler()
    for step, (tokens, mask) in enumerate(batches("corpus.bin", rank, size)):
        tokens, mask = tokens.to(device), mask.to(device)
        with torch.cuda.amp.autocast():
            loss = model(tokens, mask)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        print(step, loss.item())
        if step % 1000 == 0 and rank == 0:
            torch.save(model.module.state_dict(), "model.pt")


if __name__ == "__main__":
    mp.spawn(worker, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
