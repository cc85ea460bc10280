import argparse

import torch
import torch_npu  # hand: import
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.nn as nn
import torchvision.models as models
from apex import amp
from torch.nn.parallel import DistributedDataParallel  # hand: third.apex

from data import make_loader
from meters import accuracy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--resume", default="")
    args = parser.parse_args()
    # hand: perf.compile_mode
    dist.init_process_group(backend="hccl", init_method="env://")  # hand: dist.backend
    torch.npu.set_device(args.local_rank)  # hand: device.set_device
    device = torch.device("npu", args.local_rank)  # hand: device
    model = models.resnet50().to(device)
    criterion = nn.CrossEntropyLoss().npu()  # hand: device
    optimizer = torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1, momentum=0.9)  # hand: perf.fused_optimizer
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2", loss_scale=128.0, combine_grad=True)  # hand: amp
    model = DistributedDataParallel(model, device_ids=[args.local_rank], broadcast_buffers=False)  # hand: dist.ddp
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")  # hand: device.map_location
        model.load_state_dict(checkpoint["state_dict"])
    loader = make_loader(args.data)
    for epoch in range(90):
        loader.sampler.set_epoch(epoch)
        for i, (images, target) in enumerate(loader):
            images = images.npu(non_blocking=True)  # hand: dataloader
            target = target.int().npu(non_blocking=True)  # hand: op.int64_to_int32
            output = model(images)
            loss = criterion(output, target)
            top1 = accuracy(output, target)
            optimizer.zero_grad()
            with amp.scale_loss(loss, optimizer) as scaled:
                scaled.backward()
            optimizer.step()
            # hand: op.host_sync
            if i % 10 == 0:
                print(epoch, i, loss.item(), top1)


if __name__ == "__main__":
    main()
