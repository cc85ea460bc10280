import torch
import torch.nn as nn
import torch.nn.functional as F


class DetectionLoss(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, scores, predicted, boxes, labels):
        valid = labels >= 0
        target = F.one_hot(labels.clamp(min=0), self.classes).float()
        weight = torch.tensor([1.0] * self.classes).cuda()
        classes = F.binary_cross_entropy_with_logits(scores, target, weight=weight, reduction="none").sum(-1)
        distance = F.l1_loss(predicted, boxes, reduction="none").sum(-1)
        near = distance[valid].mean()
        hard = torch.nonzero(classes > 1.0)
        if hard.numel() == 0:
            return near
        return classes[labels >= 0].sum() / valid.sum().item() + near
