from typing import Tuple

import torch
from torch import Tensor

SCHEMA = "(Tensor xyz1, Tensor xyz2) -> (Tensor, Tensor, Tensor, Tensor)"


def chamfer_distance(xyz1: Tensor, xyz2: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Squared distances to the nearest point of the other set, both ways, and the indices of these points."""
    squares = (xyz1[:, :, None] - xyz2[:, None]).square().sum(-1)
    there, back = squares.min(2), squares.min(1)
    return there.values, back.values, there.indices, back.indices


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    return [(torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True),
             torch.randn(2, 5, 3, dtype=torch.float64, requires_grad=True))]
