import torch
from torch import Tensor

SCHEMA = "(Tensor features, Tensor indices, Tensor weight) -> Tensor"


def three_interpolate(features: Tensor, indices: Tensor, weight: Tensor) -> Tensor:
    """(batch, C, M) at three indices of (batch, N, 3), weighted: (batch, C, N)."""
    batch, channels, _ = features.shape
    flat = indices.long().reshape(batch, 1, -1).expand(-1, channels, -1)
    return (features.gather(2, flat).view(batch, channels, -1, 3) * weight[:, None]).sum(-1)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    features = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.rand(2, 4, 3, dtype=torch.float64, requires_grad=True)
    return [(features, torch.randint(5, (2, 4, 3)), weight)]
