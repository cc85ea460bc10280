import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor input, Tensor bias, float negative_slope=0.2, float scale=1.4142135623730951) -> Tensor"


def fused_bias_leakyrelu(input: Tensor, bias: Tensor, negative_slope: float = 0.2, scale: float = 2 ** 0.5) -> Tensor:
    """A bias for each channel (dimension 1), a leaky ReLU, and a factor."""
    return functional.leaky_relu(input + bias.view(1, -1, *[1] * (input.dim() - 2)), negative_slope) * scale


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    return [(torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True),
             torch.randn(3, dtype=torch.float64, requires_grad=True))]
