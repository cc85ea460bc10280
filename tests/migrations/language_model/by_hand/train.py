import os

import torch
import torch_npu  # hand: import
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

from corpus import batches
from model import LanguageModel


def worker(rank, size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "29501"
    torch.npu.set_device(rank)  # hand: device.set_device
    dist.init_process_group("hccl", rank=rank, world_size=size)  # hand: dist.backend
    device = torch.device(f"npu:{rank}")  # hand: device
    model = LanguageModel(32000, 512, 8, 12).to(device)
    model = DDP(model, device_ids=[rank], broadcast_buffers=False, bucket_cap_mb=500)  # hand: dist.ddp
    optimizer = torch.optim.AdamW(fused=True, params=model.parameters(), lr=3e-4)  # hand: perf.fused_optimizer
    for step, (tokens, mask) in enumerate(batches("corpus.bin", rank, size)):
        tokens, mask = tokens.to(device, non_blocking=True), mask.to(device, non_blocking=True)  # hand: dataloader
        with torch.autocast("npu", dtype=torch.bfloat16):  # hand: amp
            loss = model(tokens, mask)
        loss.backward()  # hand: amp
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # hand: amp
        optimizer.zero_grad()
        if step % 100 == 0:  # hand: op.host_sync
            print(step, loss.item())
        if step % 1000 == 0 and rank == 0:
            torch.save(model.module.state_dict(), "model.pt")


if __name__ == "__main__":
    mp.spawn(worker, args=(torch.npu.device_count(),), nprocs=torch.npu.device_count())  # hand: device
