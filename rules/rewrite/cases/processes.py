import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def spawned(rank, size):
    """One process."""
    # Each has a device.
    dist.init_process_group("hccl", rank=rank, world_size=size)  # expect: process.device
    net = torch.nn.Linear(2, 2).to(f"npu:{rank}")


def with_two(rank, size):  # ok: process.device
    a = torch.zeros(2, device=f"npu:{rank}")
    b = torch.zeros(2, device=f"npu:{size}")


def joined(args):
    args.local_rank = int(os.environ["LOCAL_RANK"])
    if args.local_rank >= 0:
        dist.init_process_group(  # expect: process.device
            backend="hccl", rank=args.local_rank)
    return torch.device("npu", args.local_rank)


def joined_late(args):
    dist.init_process_group("hccl")  # ok: process.device
    args.local_rank = int(os.environ["LOCAL_RANK"])  # expect: process.device
    return torch.device("npu", args.local_rank)


def joined_again(rank):
    dist.init_process_group("hccl")  # expect: process.device
    dist.init_process_group("gloo")  # ok: process.device
    return torch.device("npu", rank)


def joined_twice(args):
    dist.init_process_group("hccl")  # ok: process.device
    if args.local_rank < 0:
        args.local_rank = 0
    return torch.device("npu", args.local_rank)


def joined_behind(rank):
    dist.init_process_group("hccl")  # ok: process.device
    device = torch.device("npu", rank)
    rank = 2


def joined_for_all(size):
    dist.init_process_group("hccl")  # ok: process.device
    return [torch.device("npu", rank) for rank in range(size)]


def joined_maybe(args):
    dist.init_process_group("hccl")  # ok: process.device
    if args.gpu is not None:
        return torch.zeros(2).npu(args.gpu)


def joined_or_cpu(args):
    dist.init_process_group("hccl")  # expect: process.device
    return torch.device("npu", args.gpu) if args.gpu >= 0 else torch.device("cpu")


def joined_anywhere(args):
    dist.init_process_group("hccl")  # ok: process.device
    return torch.device("npu")


def joined_by_text(rank):
    dist.init_process_group("hccl")  # expect: process.device
    return torch.zeros(2).to("npu:%d" % rank), torch.zeros(2).to("npu:" + str(rank))


if __name__ == "__main__":
    mp.spawn(spawned, args=(2,), nprocs=2)
    mp.spawn(with_two, args=(2,), nprocs=2)
