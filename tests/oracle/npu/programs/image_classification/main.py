"""Image classification with mixed precision and DistributedDataParallel, in the manner of the ImageNet example of PyTorch."""

import argparse
import os
import random
import time

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--lr", default=0.05, type=float)
parser.add_argument("--seed", default=1, type=int)
parser.add_argument("--gpu", default=None, type=int, help="GPU id to use.")
parser.add_argument("--dist-backend", default="nccl", type=str)
parser.add_argument("--checkpoint", default="checkpoint.pth.tar")
parser.add_argument("--no-amp", dest="amp", action="store_false")


class BasicBlock(nn.Module):
    def __init__(self, channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels * stride, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels * stride)
        self.conv2 = nn.Conv2d(channels * stride, channels * stride, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels * stride)
        self.shortcut = nn.Conv2d(channels, channels * stride, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(out)) + self.shortcut(x))


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.blocks = nn.Sequential(BasicBlock(8), BasicBlock(8, 2))
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.fc(F.dropout(x.mean((2, 3)), 0.1, self.training))


class AverageMeter:
    def __init__(self, name):
        self.name, self.sum, self.count = name, 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    def all_reduce(self):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        total = torch.tensor([self.sum, self.count], dtype=torch.float32, device=device)
        dist.all_reduce(total, dist.ReduceOp.SUM, async_op=False)
        self.sum, self.count = total.tolist()

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


class DataPrefetcher:
    """Copies the next batch while the GPU computes."""

    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([0.5, 0.4, 0.3]).cuda().view(1, 3, 1, 1)
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = self.next_target = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True).float().sub_(self.mean)
            self.next_target = self.next_target.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        input, target = self.next_input, self.next_target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())
        self.preload()
        return input, target


def make_dataset(n=64):
    generator = torch.Generator().manual_seed(7)
    targets = torch.randint(0, 4, (n,), generator=generator)
    images = torch.rand(n, 3, 16, 16, generator=generator) + targets.view(-1, 1, 1, 1) * 0.2
    return TensorDataset(images, targets)


def accuracy(output, target):
    with torch.no_grad():
        return (output.argmax(1) == target).float().mean().item() * 100


def train(loader, model, criterion, optimizer, scaler, epoch, args):
    losses, top1 = AverageMeter("Loss"), AverageMeter("Acc@1")
    model.train()
    prefetcher, step = DataPrefetcher(loader), 0
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    images, target = prefetcher.next()
    while images is not None:
        start.record()
        with autocast(enabled=args.amp):
            output = model(images)
            loss = criterion(output, target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        end.record()
        torch.cuda.synchronize()
        assert start.elapsed_time(end) >= 0
        losses.update(loss.item(), images.size(0))
        top1.update(accuracy(output, target), images.size(0))
        if args.rank == 0:
            print(f"epoch {epoch} step {step} loss {loss.item():.6f}", flush=True)
        step += 1
        images, target = prefetcher.next()
    if args.distributed:
        losses.all_reduce()
        top1.all_reduce()
    return losses.avg, top1.avg


def main():
    args = parser.parse_args()
    args.world_size = int(os.environ.get("WORLD_SIZE", 1))
    args.rank = int(os.environ.get("RANK", 0))
    args.distributed = args.world_size > 1
    if not torch.cuda.is_available():
        raise SystemExit("this program needs CUDA")
    args.gpu = int(os.environ["LOCAL_RANK"]) if args.distributed else args.gpu or 0
    torch.cuda.set_device(args.gpu)
    if args.distributed:
        dist.init_process_group(backend=args.dist_backend, init_method="env://")
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.cuda.manual_seed_all(args.seed)
    cudnn.benchmark = True

    model = Net().cuda(args.gpu)
    if args.distributed:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    criterion = nn.CrossEntropyLoss().cuda(args.gpu)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    scaler = GradScaler(init_scale=1024.0, enabled=args.amp)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset) if args.distributed else None
    loader = DataLoader(dataset, args.batch_size, shuffle=sampler is None, sampler=sampler, pin_memory=True)
    for epoch in range(args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        begin = time.time()
        loss, acc = train(loader, model, criterion, optimizer, scaler, epoch, args)
        if args.rank == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}, args.checkpoint)
            print(f"epoch {epoch} mean loss {loss:.6f} acc {acc:.2f} time {time.time() - begin:.1f}s", flush=True)
    if args.distributed:
        dist.barrier()
    checkpoint = torch.load(args.checkpoint, map_location="cuda:{}".format(args.gpu))
    model.load_state_dict(checkpoint["model"])
    if args.rank == 0:
        print(f"loss checksum loss {sum(value.double().abs().sum().item() for value in checkpoint['model'].values()):.6f}")
    if args.distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
