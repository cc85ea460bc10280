"""What CUDA packages compute, by their documentation, on the CPU: for code that was not migrated. Test only."""

import sys
import types

import torch
from torch.nn import functional as F


def attention(query, key, value, scale, seen=None):
    """Of [batch, length, heads, size]; groups of query heads share a key head."""
    groups = query.shape[2] // key.shape[2]
    query, key, value = (part.transpose(1, 2) for part in (query, key, value))
    scores = query @ key.repeat_interleave(groups, 1).transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
    return (torch.softmax(scores, -1) @ value.repeat_interleave(groups, 1)).transpose(1, 2)


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                    deterministic=False, return_attn_probs=False):
    """The last query sees the last key."""
    seen = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril(k.shape[1] - q.shape[1]) if causal else None
    return attention(q, k, v, softmax_scale, seen)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None,
                           causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False,
                           return_attn_probs=False, block_table=None):
    parts = []
    for i in range(len(cu_seqlens_q) - 1):
        of_q, of_k = slice(*cu_seqlens_q[i:i + 2].tolist()), slice(*cu_seqlens_k[i:i + 2].tolist())
        parts.append(flash_attn_func(q[None, of_q], k[None, of_k], v[None, of_k], dropout_p, softmax_scale, causal)[0])
    return torch.cat(parts)


class LowerTriangularMask:
    """The first query sees the first key."""


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, op=None):
    is_triangular = isinstance(attn_bias, LowerTriangularMask)
    seen = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool).tril() if is_triangular else None
    return attention(query, key, value, scale, seen)


def swiglu(x, y):
    return F.silu(x) * y


class FusedLayerNorm(torch.nn.LayerNorm):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, memory_efficient=False):
        super().__init__(normalized_shape, eps=eps, elementwise_affine=elementwise_affine)


class FusedRMSNorm(torch.nn.RMSNorm):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, memory_efficient=False):
        super().__init__(normalized_shape, eps=eps, elementwise_affine=elementwise_affine)


def FusedAdam(params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-8, adam_w_mode=True, weight_decay=0.0, amsgrad=False,
              set_grad_none=True, capturable=False, master_weights=False):
    kind = torch.optim.AdamW if adam_w_mode else torch.optim.Adam
    return kind(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


def FusedSGD(params, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, wd_after_momentum=False,
             materialize_master_grads=True, set_grad_none=False):
    return torch.optim.SGD(params, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov)


class RMSpropTF(torch.optim.Optimizer):
    """The mean square begins at 1, epsilon is below the root, and the rate is in the momentum."""

    def __init__(self, params, lr=1e-2, alpha=0.9, eps=1e-10, weight_decay=0, momentum=0.0, centered=False, decoupled_decay=False,
                 lr_in_momentum=True):
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                state, grad = self.state[parameter], parameter.grad + group["weight_decay"] * parameter
                mean = state.setdefault("mean", torch.ones_like(parameter))
                buffer = state.setdefault("buffer", torch.zeros_like(parameter))
                mean.add_(grad.square() - mean, alpha=1 - group["alpha"])
                buffer.mul_(group["momentum"]).add_(grad / (mean + group["eps"]).sqrt(), alpha=group["lr"])
                parameter.sub_(buffer)


MODULES = {
    "flash_attn": (flash_attn_func, flash_attn_varlen_func),
    "flash_attn.ops": (),
    "flash_attn.ops.activations": (swiglu,),
    "xformers": (),
    "xformers.ops": (LowerTriangularMask, memory_efficient_attention),
    "apex": (),
    "apex.normalization": (FusedLayerNorm, FusedRMSNorm),
    "apex.optimizers": (FusedAdam, FusedSGD),
    "timm": (),
    "timm.optim": (RMSpropTF,),
}


def install():
    for name, members in MODULES.items():
        module = sys.modules[name] = types.ModuleType(name)
        for member in members:
            setattr(module, member.__name__, member)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)
    sys.modules["apex.optimizers"].FusedLAMB = None  # Is reported, and not rewritten.
