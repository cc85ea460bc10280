import torch
import torch.distributed as dist


def next_batch(it, rank):
    if rank > 0:
        buffer = torch.empty(4, 8)
    else:
        buffer = next(it)
    dist.broadcast(buffer, 0)  # expect: advice.batch_from_one_rank_in_helper
    return buffer


def stop_of_batch(flag):
    dist.broadcast(flag, 0)  # ok: advice.batch_from_one_rank_in_helper
    return bool(flag)


def train(net, optimizer, loader, rank):
    it = iter(loader)
    for step in range(100):  # expect: advice.memory, advice.host_bound, advice.full_precision
        net(next_batch(it, rank)).sum().backward()
        optimizer.step()
        if stop_of_batch(torch.zeros(1)):
            break
