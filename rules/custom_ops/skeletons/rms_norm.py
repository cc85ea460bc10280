import torch
from torch import Tensor

SCHEMA = "(Tensor x, Tensor weight, float epsilon=1e-06) -> Tensor"


def rms_norm(x: Tensor, weight: Tensor, epsilon: float = 1e-6) -> Tensor:
    """x divided by the root of the mean of its squares in the last dimension, times the weight."""
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon)).to(x.dtype) * weight


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    return [(torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True),
             torch.randn(4, dtype=torch.float64, requires_grad=True))]
