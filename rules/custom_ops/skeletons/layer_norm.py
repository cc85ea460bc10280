from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor x, Tensor? weight=None, Tensor? bias=None, float epsilon=1e-05) -> Tensor"


def layer_norm(x: Tensor, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, epsilon: float = 1e-5) -> Tensor:
    """x with mean 0 and variance 1 in the last dimension, times the weight and plus the bias."""
    return functional.layer_norm(x, [x.shape[-1]], weight, bias, epsilon)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(4, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(4, dtype=torch.float64, requires_grad=True)
    return [(x,), (x, weight, bias)]
