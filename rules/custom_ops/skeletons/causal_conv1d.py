from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor x, Tensor weight, Tensor? bias=None, bool silu=False) -> Tensor"


def causal_conv1d(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, silu: bool = False) -> Tensor:
    """Each channel of (batch, D, L) with its own filter of (D, W), which sees this position and those in front of it."""
    channels, width = weight.shape
    out = functional.conv1d(functional.pad(x, [width - 1, 0]), weight[:, None], bias, groups=channels)
    return functional.silu(out) if silu else out


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(3, dtype=torch.float64, requires_grad=True)
    return [(x, weight), (x, weight, bias, True)]
