import torch
import torch.distributed as dist


def train(net, optimizer, loader):
    it = iter(loader)
    batch = torch.empty(4, 8)
    for step in range(100):  # expect: advice.memory, advice.host_bound, advice.full_precision
        if dist.get_rank() != 0:
            dist.recv(batch, src=0)  # expect: advice.batch_sent_by_one_rank
        else:
            batch = next(it)
            for other in range(1, dist.get_world_size()):
                dist.send(batch, other)  # ok: advice.batch_sent_by_one_rank
        net(batch).sum().backward()
        optimizer.step()
