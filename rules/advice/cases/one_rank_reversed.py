import torch
import torch.distributed as dist


def train(net, optimizer, loader, rank):
    it = iter(loader)
    for step in range(100):  # expect: advice.memory, advice.host_bound, advice.full_precision
        if rank != 0:
            batch = torch.empty(4, 8)
        else:
            batch = next(it)
        dist.broadcast(batch, 0)  # expect: advice.batch_from_one_rank
        net(batch).sum().backward()
        optimizer.step()
