import torch
from torch import Tensor

SCHEMA = "(Tensor features, Tensor indices) -> Tensor"


def group_points(features: Tensor, indices: Tensor) -> Tensor:
    """(batch, C, N) at indices of (batch, M, K): (batch, C, M, K)."""
    batch, channels, _ = features.shape
    flat = indices.long().reshape(batch, 1, -1).expand(-1, channels, -1)
    return features.gather(2, flat).view(batch, channels, *indices.shape[1:])


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    features = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    return [(features, torch.randint(5, (2, 4, 2)))]
