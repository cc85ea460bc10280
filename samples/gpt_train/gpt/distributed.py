"""Process groups as torchrun starts them, and the few collectives the trainer needs."""

import os
import warnings
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import cuda
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class World:
    rank: int
    local_rank: int
    size: int
    device: torch.device

    @property
    def is_main(self):
        return self.rank == 0


def init_distributed(device_name, backend="nccl"):
    """Read torchrun's variables, choose this process's device and join the group."""
    rank = int(os.environ.get("RANK", "0"))
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    size = int(os.environ.get("WORLD_SIZE", "1"))
    device = pick_device(device_name, local_rank)
    if size > 1:
        if device.type == "cuda":
            os.environ.setdefault("NCCL_ASYNC_ERROR_HANDLING", "1")
            dist.init_process_group(backend=backend, timeout=timedelta(minutes=30))
        else:
            dist.init_process_group(backend="gloo")
    return World(rank, local_rank, size, device)


def pick_device(name, local_rank=0):
    """Turn "cuda", "cuda:1" or "cpu" into a device; without a GPU it is the CPU."""
    device = torch.device(name)
    if device.type != "cuda":
        return device
    if not cuda.is_available():
        warnings.warn("CUDA is not available, training on the CPU", stacklevel=2)
        return torch.device("cpu")
    if device.index is None:
        device = torch.device(f"cuda:{local_rank % cuda.device_count()}")
    cuda.set_device(device)
    return device


def wrap_model(model, world):
    if world.size == 1:
        return model
    device_ids = [world.device.index] if world.device.type == "cuda" else None
    return DistributedDataParallel(model, device_ids=device_ids, gradient_as_bucket_view=True)


def unwrap_model(model):
    return model.module if isinstance(model, DistributedDataParallel) else model


def mean_across_ranks(value, world):
    """The mean of a Python number over all processes."""
    if world.size == 1:
        return value
    total = torch.tensor(value, dtype=torch.float32, device=world.device)
    dist.all_reduce(total, op=dist.ReduceOp.SUM)
    return total.item() / world.size


def shutdown():
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()
