"""Causal self-attention, with FlashAttention where it is installed.

FlashAttention runs only on CUDA tensors in half precision
(https://github.com/Dao-AILab/flash-attention); everything else goes through
``torch.nn.functional.scaled_dot_product_attention``.
"""

import torch
from torch import nn
from torch.nn import functional as F

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.n_embd % cfg.n_head:
            raise ValueError(f"n_embd {cfg.n_embd} is not a multiple of n_head {cfg.n_head}")
        self.n_head = cfg.n_head
        self.dropout = cfg.dropout
        self.qkv = nn.Linear(cfg.n_embd, 3 * cfg.n_embd)
        self.proj = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.resid_dropout = nn.Dropout(cfg.dropout)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.n_head, -1).unbind(dim=2)
        y = self._attend(q, k, v)
        return self.resid_dropout(self.proj(y.reshape(batch, length, width)))

    def _attend(self, q, k, v):
        """q, k and v are (batch, length, heads, head_dim), and so is the result."""
        dropout = self.dropout if self.training else 0.0
        half = q.dtype in (torch.float16, torch.bfloat16)
        if flash_attn_func is not None and q.is_cuda and half:
            return flash_attn_func(q, k, v, dropout_p=dropout, causal=True)
        y = F.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), dropout_p=dropout, is_causal=True
        )
        return y.transpose(1, 2)
