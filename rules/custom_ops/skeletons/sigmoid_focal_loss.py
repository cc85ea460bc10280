from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor input, Tensor target, Tensor? weight=None, float gamma=2.0, float alpha=0.25) -> Tensor"


def sigmoid_focal_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, gamma: float = 2.0,
                       alpha: float = 0.25) -> Tensor:
    """The focal loss of scores (N, classes) for classes (N), one value for each score; a target of `classes` is none."""
    classes = input.shape[1]
    chosen = functional.one_hot(target.long(), classes + 1)[:, :classes].to(input.dtype)
    probability = input.sigmoid()
    positive = -alpha * (1 - probability) ** gamma * functional.logsigmoid(input)
    negative = -(1 - alpha) * probability ** gamma * functional.logsigmoid(-input)
    loss = chosen * positive + (1 - chosen) * negative
    return loss if weight is None else loss * weight[target.long().clamp(max=classes - 1)][:, None]


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    scores = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    return [(scores, torch.tensor([0, 2, 3, 1])), (scores, torch.tensor([0, 2, 3, 1]), torch.rand(3, dtype=torch.float64), 1.5)]
