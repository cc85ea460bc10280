import torch  # expect: program.transfer
import torch.distributed as dist


def worker(rank, size):
    dist.init_process_group("gloo", rank=rank, world_size=size)  # expect: process.device
    return torch.nn.Linear(2, 2).cuda(rank)  # expect: method.cuda


torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)
