"""A one-stage detector with a varying number of boxes per image: dynamic shapes, indexing with masks, operators of its own."""

import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from ops import SigmoidFocalLoss, box_iou, nms


class Shapes(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(index)
        count = int(torch.randint(0, 4, (1,), generator=g))
        corner = torch.rand(count, 2, generator=g) * 20
        size = torch.rand(count, 2, generator=g) * 10 + 4
        image = torch.rand(3, 32, 32, generator=g)
        return image, {"boxes": torch.cat([corner, corner + size], 1), "labels": torch.randint(0, 3, (count,), generator=g)}


def collate(batch):
    return torch.stack([image for image, _ in batch]), [target for _, target in batch]


class Detector(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.GroupNorm(4, 16), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU())
        self.cls, self.reg = nn.Conv2d(16, classes, 1), nn.Conv2d(16, 4, 1)
        self.classes = classes

    def anchors(self, feature):
        height, width = feature.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(height, device=feature.device), torch.arange(width, device=feature.device), indexing="ij")
        centers = torch.stack([xs, ys], -1).reshape(-1, 2).float() * 4 + 2
        return torch.cat([centers - 4, centers + 4], 1)

    def forward(self, images):
        feature = F.interpolate(self.body(images), scale_factor=1.0, mode="nearest")
        anchors = self.anchors(feature)
        logits = self.cls(feature).permute(0, 2, 3, 1).reshape(images.size(0), -1, self.classes)
        deltas = self.reg(feature).permute(0, 2, 3, 1).reshape(images.size(0), -1, 4)
        return logits, deltas, anchors


def losses(logits, deltas, anchors, targets):
    cls_loss, reg_loss, positives = logits.new_zeros(()), logits.new_zeros(()), 0
    for per_logits, per_deltas, target in zip(logits, deltas, targets):
        boxes, labels = target["boxes"], target["labels"]
        wanted = torch.zeros_like(per_logits)
        if boxes.numel():
            iou, match = box_iou(anchors, boxes).max(dim=1)
            positive = torch.nonzero(iou > 0.2, as_tuple=False).squeeze(1)
            wanted[positive, labels[match[positive]]] = 1
            positives += positive.numel()
            if positive.numel():
                delta = (boxes[match[positive]] - anchors[positive]) / 8
                reg_loss = reg_loss + F.smooth_l1_loss(per_deltas[positive], delta, reduction="sum")
        cls_loss = cls_loss + SigmoidFocalLoss.apply(per_logits, wanted, 2.0, 0.25)
    return cls_loss / max(1, positives), reg_loss / max(1, positives)


def to_cuda(data, device=None):
    if isinstance(data, torch.Tensor):
        return data.cuda(device, non_blocking=True)
    if isinstance(data, dict):
        return {k: to_cuda(v, device) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [to_cuda(v, device) for v in data]
    return data


@torch.no_grad()
def detect(model, image):
    logits, deltas, anchors = model(image[None])
    scores, labels = logits[0].sigmoid().max(-1)
    boxes = anchors + deltas[0] * 8
    mask = scores > scores.median()
    boxes, scores, labels = boxes[mask], scores[mask], labels[mask]
    keep = torch.cat([idx[nms(boxes[idx], scores[idx], 0.5)] for idx in (torch.where(labels == c)[0] for c in labels.unique())])
    return boxes[keep], scores[keep]


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    if torch.cuda.is_available():
        torch.cuda.manual_seed(0)
    use_cuda = torch.cuda.is_available()
    model = Detector()
    model = model.cuda() if use_cuda else model
    optimizer = torch.optim.AdamW([{"params": model.body.parameters()}, {"params": [*model.cls.parameters(), *model.reg.parameters()], "lr": 2e-3}], lr=1e-3)
    scaler = torch.cuda.amp.GradScaler(init_scale=256.0)
    loader = DataLoader(Shapes(), batch_size=4, collate_fn=collate, num_workers=0, pin_memory=use_cuda)
    for epoch in range(2):
        for step, (images, targets) in enumerate(loader):
            torch.cuda.synchronize()
            began = time.perf_counter()
            images, targets = to_cuda(images), to_cuda(targets)
            with torch.cuda.amp.autocast():
                cls_loss, reg_loss = losses(*model(images), targets)
                loss = cls_loss + reg_loss
            optimizer.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
            torch.cuda.synchronize()
            assert time.perf_counter() > began
            print(f"epoch {epoch} step {step} loss {loss.item():.6f} cls_loss {cls_loss.item():.6f} mem {torch.cuda.max_memory_allocated() / 2**20:.0f}MB")
    model.eval()
    boxes, scores = detect(model, to_cuda(Shapes()[1][0]))
    print(f"{len(boxes)} boxes, checksum loss {scores.sum().item() + boxes.abs().sum().item():.6f}")


if __name__ == "__main__":
    main()
