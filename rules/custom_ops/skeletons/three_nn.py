from typing import Tuple

import torch
from torch import Tensor

SCHEMA = "(Tensor target, Tensor source) -> (Tensor, Tensor)"


def three_nn(target: Tensor, source: Tensor) -> Tuple[Tensor, Tensor]:
    """Distances to the three points of (batch, M, 3) that are nearest to each of (batch, N, 3), and their indices."""
    squares = (target[:, :, None] - source[:, None]).square().sum(-1)
    nearest = squares.topk(3, dim=-1, largest=False)
    return nearest.values.sqrt(), nearest.indices


def examples():
    """None: it is used without a gradient."""
    return []
