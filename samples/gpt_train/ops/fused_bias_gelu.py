"""gelu(x + bias) in one CUDA kernel, or in two PyTorch operators without it."""

import torch
from torch.nn import functional as F

try:
    import fused_bias_gelu_cuda  # noqa: F401  (importing it registers torch.ops.gpt_ops)

    HAS_KERNEL = True
except ImportError:
    HAS_KERNEL = False


class _FusedBiasGelu(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x, bias):
        ctx.save_for_backward(x, bias)
        return torch.ops.gpt_ops.bias_gelu(x, bias)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        x, bias = ctx.saved_tensors
        grad_x = torch.ops.gpt_ops.bias_gelu_backward(grad.contiguous(), x, bias)
        return grad_x, grad_x.flatten(0, -2).sum(dim=0)


def bias_gelu(x, bias):
    """``bias`` is added along the last dimension of ``x``."""
    if HAS_KERNEL and x.is_cuda:
        return _FusedBiasGelu.apply(x.contiguous(), bias.to(x.dtype))
    return F.gelu(x + bias, approximate="tanh")
