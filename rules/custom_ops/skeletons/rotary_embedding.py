import torch
from torch import Tensor

SCHEMA = "(Tensor x, Tensor cos, Tensor sin, bool interleaved=False) -> Tensor"


def rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False) -> Tensor:
    """Rotates the first 2 * R of (batch, length, heads, size) by the angles of (length, R).

    Pairs are i and i + R; interleaved 2 * i and 2 * i + 1.
    """
    half = cos.shape[-1]
    cos, sin = cos[:, None], sin[:, None]
    rotated, rest = x[..., :2 * half], x[..., 2 * half:]
    first, second = (rotated[..., ::2], rotated[..., 1::2]) if interleaved else rotated.chunk(2, dim=-1)
    out = (first * cos - second * sin, first * sin + second * cos)
    turned = torch.stack(out, dim=-1).flatten(-2) if interleaved else torch.cat(out, dim=-1)
    return torch.cat((turned, rest), dim=-1)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 2, 6, dtype=torch.float64, requires_grad=True)
    angles = torch.randn(3, 2, dtype=torch.float64)
    cos, sin = angles.cos().requires_grad_(), angles.sin().requires_grad_()
    return [(x, cos, sin), (x, cos, sin, True)]
