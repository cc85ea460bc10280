import torch
import torch.distributed as dist


def train(net, optimizer, loader, rank):
    it = iter(loader) if rank == 0 else None
    batch = torch.empty(4, 8)
    stop = torch.zeros(1)
    dist.broadcast(batch, 0)  # ok: advice.batch_from_one_rank
    for step in range(100):  # expect: advice.memory, advice.host_bound, advice.full_precision
        if rank == 0:
            batch = next(it)
        dist.broadcast(stop, 0)  # ok: advice.batch_from_one_rank
        dist.broadcast(batch, 0)  # expect: advice.batch_from_one_rank
        dist.broadcast_object_list([batch], src=0)  # ok: advice.batch_from_one_rank
        net(batch).sum().backward()
        optimizer.step()
