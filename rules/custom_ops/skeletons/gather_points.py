import torch
from torch import Tensor

SCHEMA = "(Tensor features, Tensor indices) -> Tensor"


def gather_points(features: Tensor, indices: Tensor) -> Tensor:
    """(batch, C, N) at indices of (batch, M): (batch, C, M)."""
    return features.gather(2, indices.long()[:, None].expand(-1, features.shape[1], -1))


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    features = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    return [(features, torch.randint(5, (2, 4)))]
