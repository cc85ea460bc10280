import torch
import torch.distributed as dist


def feed(net, optimizer, it, rank):
    buffer = torch.empty(4, 8)
    for step in range(100):  # expect: advice.memory, advice.host_bound, advice.full_precision
        if rank == 0:
            buffer = next(it)
        dist.broadcast(buffer, 0)  # expect: advice.batch_from_one_rank_in_helper
        net(buffer).sum().backward()
        optimizer.step()
