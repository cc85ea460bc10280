from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = "(Tensor q, Tensor k, Tensor v, float? softmax_scale=None, bool causal=False) -> Tensor"


def flash_attention(q: Tensor, k: Tensor, v: Tensor, softmax_scale: Optional[float] = None, causal: bool = False) -> Tensor:
    """Attention of (batch, length, heads, size); a key's head serves as many heads of queries as there are more of them.

    Causal: the last query sees the last key, as in flash-attn from version 2.1.
    """
    queries, keys, repeats = q.shape[1], k.shape[1], q.shape[2] // k.shape[2]
    q, k, v = (x.transpose(1, 2) for x in (q, k.repeat_interleave(repeats, 2), v.repeat_interleave(repeats, 2)))
    seen = torch.ones(queries, keys, dtype=torch.bool, device=q.device).tril(keys - queries) if causal else None
    out = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=softmax_scale)
    return out.transpose(1, 2)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    q = torch.randn(2, 3, 4, 2, dtype=torch.float64, requires_grad=True)
    k = torch.randn(2, 4, 2, 2, dtype=torch.float64, requires_grad=True)
    v = torch.randn(2, 4, 2, 2, dtype=torch.float64, requires_grad=True)
    return [(q, k, v), (q, k, v, 0.3, True)]
