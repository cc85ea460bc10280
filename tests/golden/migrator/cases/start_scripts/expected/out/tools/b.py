import torch
import torch_npu
import torch.distributed as dist


def worker(rank, size):
    torch.npu.set_device(rank)
    dist.init_process_group("hccl", rank=rank, world_size=size)
    net = torch.nn.Linear(2, 2).to(f"npu:{rank}")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.zeros(4, 2):
        net(x.to(f"npu:{rank}")).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.multiprocessing.spawn(worker, args=(2,), nprocs=2)
