import torch
import torch.nn as nn
import torch.nn.functional as F


class DetectionLoss(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.register_buffer("weight", torch.tensor([1.0] * classes))  # hand: op.h2d_constant

    def forward(self, scores, predicted, boxes, labels):
        valid = labels >= 0
        target = F.one_hot(labels.clamp(min=0), self.classes).float()
        classes = F.binary_cross_entropy_with_logits(scores, target, weight=self.weight, reduction="none").sum(-1)
        distance = F.l1_loss(predicted, boxes, reduction="none").sum(-1)
        near = (distance * valid).sum() / valid.sum()  # hand: op.mask_instead_of_index
        any_hard = (classes > 1.0).any().float()  # hand: op.static_shape
        return any_hard * (classes * valid).sum() / valid.sum() + near  # hand: op.mask_instead_of_index
