"""Bus bandwidth of all-reduce, to check NVLink and the network before a long run.

    torchrun --nproc_per_node=8 tools/bench_allreduce.py
"""

import argparse
import os
import time

import torch as th
import torch.distributed as dist


def measure(numel, rounds, use_gpu):
    tensor = th.ones(numel)
    if use_gpu:
        tensor = tensor.cuda()
    dist.all_reduce(tensor)  # the first call sets up the rings
    if use_gpu:
        th.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(rounds):
        dist.all_reduce(tensor)
    if use_gpu:
        th.cuda.synchronize()
    return (time.perf_counter() - start) / rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuda", action=argparse.BooleanOptionalAction, default=th.cuda.is_available())
    parser.add_argument("--max-mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()

    if args.cuda:
        th.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group(backend="nccl")
    else:
        dist.init_process_group(backend="gloo")

    ranks = dist.get_world_size()
    mib = 1
    while mib <= args.max_mib:
        seconds = measure(mib * 2**20 // 4, args.rounds, args.cuda)
        bandwidth = mib / 1024 / seconds * 2 * (ranks - 1) / ranks
        if dist.get_rank() == 0:
            print(f"{mib:6d} MiB  {seconds * 1e3:8.2f} ms  {bandwidth:7.2f} GiB/s")
        mib *= 4
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
