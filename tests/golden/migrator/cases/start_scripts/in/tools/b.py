import torch
import torch.distributed as dist


def worker(rank, size):
    dist.init_process_group("nccl", rank=rank, world_size=size)
    net = torch.nn.Linear(2, 2).to(f"cuda:{rank}")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.zeros(4, 2):
        net(x.to(f"cuda:{rank}")).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)
