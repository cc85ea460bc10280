"""Contrastive learning with negatives gathered from all processes, and a queue as in MoCo."""

import os
from argparse import ArgumentParser
from collections import OrderedDict

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class GatherLayer(torch.autograd.Function):
    """Gathers with gradients."""

    @staticmethod
    def forward(ctx, x):
        ctx.rank = dist.get_rank()
        output = [torch.zeros_like(x) for _ in range(dist.get_world_size())]
        dist.all_gather(output, x.contiguous())
        return tuple(output)

    @staticmethod
    def backward(ctx, *grads):
        all_gradients = torch.stack(grads)
        dist.all_reduce(all_gradients)
        return all_gradients[ctx.rank]


@torch.no_grad()
def concat_all_gather(tensor):
    if not dist.is_initialized():
        return tensor
    gathered = [torch.ones_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, tensor, async_op=False)
    return torch.cat(gathered, dim=0)


class MoCo(nn.Module):
    def __init__(self, width=16, length=32, momentum=0.9):
        super().__init__()
        self.momentum, self.length = momentum, length
        encoder = lambda: nn.Sequential(OrderedDict(fc1=nn.Linear(12, 32), act=nn.ReLU(), fc2=nn.Linear(32, width)))
        self.encoder_q, self.encoder_k = encoder(), encoder()
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(width, length), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def shuffled(self, x):
        x_all = concat_all_gather(x)
        order = torch.randperm(x_all.shape[0]).cuda()
        if dist.is_initialized():
            dist.broadcast(order, src=0)
        return x_all[order], torch.argsort(order)

    @torch.no_grad()
    def enqueue(self, keys):
        keys = concat_all_gather(keys)
        pointer = int(self.queue_ptr)
        self.queue[:, pointer:pointer + keys.shape[0]] = keys.T
        self.queue_ptr[0] = (pointer + keys.shape[0]) % self.length

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            for ours, theirs in zip(self.encoder_k.parameters(), self.encoder_q.parameters()):
                ours.data = ours.data * self.momentum + theirs.data * (1.0 - self.momentum)
            mixed, back = self.shuffled(im_k)
            k = F.normalize(self.encoder_k(mixed), dim=1)[back]
            rank = dist.get_rank() if dist.is_initialized() else 0
            k = k.chunk(k.shape[0] // im_q.shape[0])[rank]
        positive = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        negative = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([positive, negative], dim=1) / 0.2
        labels = torch.zeros(logits.shape[0], dtype=torch.long).cuda()
        self.enqueue(k)
        return logits, labels, q


def main():
    parser = ArgumentParser()
    parser.add_argument("--local_rank", default=int(os.environ.get("LOCAL_RANK", 0)), type=int)
    args = parser.parse_args()
    distributed = int(os.environ.get("WORLD_SIZE", "1")) > 1
    torch.cuda.set_device(args.local_rank)
    if distributed:
        dist.init_process_group(backend="cpu:gloo,cuda:nccl")
    device = torch.device("cuda", args.local_rank)
    torch.manual_seed(0)
    model = MoCo().to(device)
    if distributed:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        model = nn.parallel.DistributedDataParallel(model, device_ids=[args.local_rank], output_device=args.local_rank, broadcast_buffers=False)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1, momentum=0.9)
    data = torch.Generator().manual_seed(args.local_rank)
    for step in range(5):
        base = torch.randn(8, 12, generator=data)
        im_q, im_k = (base + 0.1 * torch.randn(8, 12, generator=data) for _ in range(2))
        logits, labels, q = model(im_q.cuda(args.local_rank), im_k.cuda(args.local_rank))
        loss = F.cross_entropy(logits, labels)
        if distributed:
            everywhere = torch.cat(GatherLayer.apply(q), 0)
            loss = loss + 0.1 * torch.pdist(everywhere).pow(2).mul(-2).exp().mean().log()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        counts = torch.tensor([step])
        if distributed:
            dist.reduce(mean, dst=0)
            dist.all_reduce(counts)
            names = [None] * dist.get_world_size()
            dist.all_gather_object(names, f"rank {dist.get_rank()} of {dist.get_backend()}"[:6])
            assert names == ["rank 0", "rank 1"]
        if args.local_rank == 0:
            print(f"step {step} loss {mean.item():.6f} count {counts.item()}", flush=True)
    if distributed:
        dist.barrier(device_ids=[args.local_rank])
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
