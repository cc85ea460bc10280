import torch
import any_device
import torch.distributed as dist


def worker(rank, size):
    any_device.set_device(rank)
    dist.init_process_group("gloo", rank=rank, world_size=size)  # expect: process.device
    return torch.nn.Linear(2, 2).to(any_device.device_of(rank))  # expect: method.cuda


torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)
