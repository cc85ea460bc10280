import argparse
import os

import torch
import torch.distributed as dist


def main(args):
    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", rank)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).to(device), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)
    for x in torch.zeros(4, 2):
        net(x.to(device)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    main(parser.parse_args())
