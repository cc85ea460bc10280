from typing import Tuple

import torch
from torch import Tensor

SCHEMA = "(int k, Tensor xyz, Tensor center_xyz) -> (Tensor, Tensor)"


def knn(k: int, xyz: Tensor, center_xyz: Tensor) -> Tuple[Tensor, Tensor]:
    """For each of (batch, M, 3) centers the k nearest of (batch, N, 3): squared distances and numbers (batch, M, k), nearest first."""
    squares = (center_xyz[:, :, None] - xyz[:, None]).square().sum(-1)
    nearest = squares.sort(dim=-1, stable=True)
    return nearest.values[..., :k], nearest.indices[..., :k]


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    points, centers = (torch.randn(2, count, 3, dtype=torch.float64, requires_grad=True) for count in (5, 3))
    return [(2, points, centers)]
