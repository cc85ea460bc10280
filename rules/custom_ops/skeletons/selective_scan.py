from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = ("(Tensor u, Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? D=None, Tensor? z=None, "
          "Tensor? delta_bias=None, bool delta_softplus=False) -> Tensor")


def selective_scan(u: Tensor, delta: Tensor, A: Tensor, B: Tensor, C: Tensor, D: Optional[Tensor] = None,
                   z: Optional[Tensor] = None, delta_bias: Optional[Tensor] = None,
                   delta_softplus: bool = False) -> Tensor:
    """The scan of Mamba: u and delta of (batch, D, L), A of (D, N), B and C of (D, N), (batch, N, L) or (batch, G, N, L).

    It goes through the sequence step by step: right, and slow for long ones.
    """
    batch, channels, length = u.shape
    if delta_bias is not None:
        delta = delta + delta_bias[:, None]
    if delta_softplus:
        delta = functional.softplus(delta)

    def by_channel(x: Tensor) -> Tensor:  # (batch, D, N, L)
        if x.dim() == 2:
            return x[None, :, :, None].expand(batch, -1, -1, length)
        x = x[:, None] if x.dim() == 3 else x
        return x.repeat_interleave(channels // x.shape[1], dim=1)

    inputs, outputs = by_channel(B), by_channel(C)
    state = u.new_zeros(batch, channels, A.shape[1])
    steps = []
    for i in range(length):
        step = delta[:, :, i, None]
        state = torch.exp(step * A) * state + step * inputs[..., i] * u[:, :, i, None]
        steps.append((state * outputs[..., i]).sum(-1))
    out = torch.stack(steps, dim=-1)
    if D is not None:
        out = out + u * D[:, None]
    return out if z is None else out * functional.silu(z)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)

    def made(*shape):
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    u, delta, z = made(2, 4, 3), made(2, 4, 3), made(2, 4, 3)
    return [(u, delta, made(4, 2), made(2, 2, 3), made(2, 2, 3), made(4), z, made(4), True),
            (u, delta, made(4, 2), made(2, 2, 2, 3), made(4, 2))]
