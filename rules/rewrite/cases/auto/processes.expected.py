import torch_npu
from torch_npu.contrib import transfer_to_npu
import torch  # expect: program.transfer
import torch.distributed as dist


def worker(rank, size):
    torch.cuda.set_device(rank)
    dist.init_process_group("gloo", rank=rank, world_size=size)  # expect: process.device
    return torch.nn.Linear(2, 2).cuda(rank)  # expect: method.cuda


torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)
