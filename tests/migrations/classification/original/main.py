import argparse

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.nn as nn
import torchvision.models as models
from apex import amp
from apex.parallel import DistributedDataParallel

from data import make_loader
from meters import accuracy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--resume", default="")
    args = parser.parse_args()
    cudnn.benchmark = True
    dist.init_process_group(backend="nccl", init_method="env://")
    device = torch.device("cuda", args.local_rank)
    model = models.resnet50().to(device)
    criterion = nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2", loss_scale=128.0)
    model = DistributedDataParallel(model)
    if args.resume:
        checkpoint = torch.load(args.resume)
        model.load_state_dict(checkpoint["state_dict"])
    loader = make_loader(args.data)
    for epoch in range(90):
        loader.sampler.set_epoch(epoch)
        for i, (images, target) in enumerate(loader):
            images = images.cuda()
            target = target.cuda()
            output = model(images)
            loss = criterion(output, target)
            top1 = accuracy(output, target)
            optimizer.zero_grad()
            with amp.scale_loss(loss, optimizer) as scaled:
                scaled.backward()
            optimizer.step()
            torch.cuda.synchronize()
            if i % 10 == 0:
                print(epoch, i, loss.item(), top1)


if __name__ == "__main__":
    main()
