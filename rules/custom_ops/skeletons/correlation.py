import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor first, Tensor second, int max_displacement, int stride=1) -> Tensor"


def correlation(first: Tensor, second: Tensor, max_displacement: int, stride: int = 1) -> Tensor:
    """Means over the channels of first times second, displaced by multiples of stride up to max_displacement.

    A kernel of size 1, padded by max_displacement. Channels are the displacements, row by row.
    """
    height, width = first.shape[2:]
    padded = functional.pad(second, [max_displacement] * 4)
    steps = range(-(max_displacement // stride), max_displacement // stride + 1)
    out = []
    for dy in (step * stride + max_displacement for step in steps):
        for dx in (step * stride + max_displacement for step in steps):
            out.append((first * padded[:, :, dy:dy + height, dx:dx + width]).mean(1))
    return torch.stack(out, dim=1)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    first = torch.randn(2, 3, 4, 3, dtype=torch.float64, requires_grad=True)
    second = torch.randn(2, 3, 4, 3, dtype=torch.float64, requires_grad=True)
    return [(first, second, 1), (first, second, 3, 2)]
