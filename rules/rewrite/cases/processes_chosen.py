import torch
import torch.distributed as dist


def joined(rank):
    torch.npu.set_device(rank)
    dist.init_process_group("hccl")  # ok: process.device
    return torch.device("npu", rank)
