from typing import Optional

import torch
from torch import Tensor

SCHEMA = "(Tensor x, Tensor? mask=None, float scale=1.0, bool causal=False) -> Tensor"


def scaled_masked_softmax(x: Tensor, mask: Optional[Tensor] = None, scale: float = 1.0, causal: bool = False) -> Tensor:
    """The softmax of scaled scores (..., queries, keys); True in the mask is left out, causal what is behind a query.

    A row that is left out as a whole is zero.
    """
    queries, keys = x.shape[-2:]
    if causal:
        behind = torch.ones(queries, keys, dtype=torch.bool, device=x.device).triu(1 + keys - queries)
        mask = behind if mask is None else mask | behind
    scores = x * scale
    if mask is None:
        return scores.softmax(-1)
    out = scores.masked_fill(mask, torch.finfo(x.dtype).min).softmax(-1)
    return out.masked_fill(mask, 0)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 2, 3, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(2, 1, 3, 4) < 0.4
    return [(x, None, 0.5), (x, mask, 0.5), (x, None, 2.0, True)]
