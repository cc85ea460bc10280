"""Fused operators of torch_npu, as the formulas that their documentation gives, with the conditions that it states."""

import torch
from torch.nn import functional as F

FLOATS = (torch.float16, torch.bfloat16, torch.float32)
__all__ = []


def operator(function):
    """Adds `function` to torch_npu. Its tensors lie on the NPU and have a type that the matrix and vector units compute."""
    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()):
            if not isinstance(value, torch.Tensor):
                continue
            if value.device.type != "npu":
                raise NotImplementedError(f"Could not run 'npu::{function.__name__}' with arguments from the '{value.device}' backend.")
            if value.is_floating_point() and value.dtype not in FLOATS or value.is_complex():
                raise RuntimeError(f"{function.__name__}: {value.dtype} is not supported; it takes float16, bfloat16 and float32")
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    __all__.append(function.__name__)
    return call


def require(condition, message):
    if not condition:
        raise RuntimeError(message)


@operator
def npu_rms_norm(self, gamma, epsilon=1e-06):
    """(y, rstd)."""
    require(gamma.shape == self.shape[self.dim() - gamma.dim():], "npu_rms_norm: gamma has the trailing sizes of the input")
    dims = tuple(range(-gamma.dim(), 0))
    wide = self.float()
    rstd = torch.rsqrt(wide.pow(2).mean(dims, keepdim=True) + epsilon)
    return (wide * rstd * gamma.float()).to(self.dtype), rstd


@operator
def npu_add_rms_norm(x1, x2, gamma, epsilon=1e-06):
    """(y, rstd, x1 + x2)."""
    total = x1 + x2
    return (*npu_rms_norm(total, gamma, epsilon), total)


@operator
def npu_swiglu(input, dim=-1):
    require(input.shape[dim] % 2 == 0 and input.numel() > 0, "npu_swiglu: the size along dim is even, and the input not empty")
    gate, up = input.chunk(2, dim)
    return F.silu(gate) * up


@operator
def npu_gelu_mul(input, *, approximate="none"):
    require(input.shape[-1] % 2 == 0 and input.shape[-1] <= 1024, "npu_gelu_mul: the last size is even and at most 1024")
    first, second = input.chunk(2, -1)
    return F.gelu(first, approximate=approximate) * second


@operator
def npu_gelu(input, *, approximate="none"):
    return F.gelu(input, approximate=approximate)


@operator
def npu_fast_gelu(input):
    return input * torch.sigmoid(1.702 * input)


fast_gelu = npu_fast_gelu
__all__.append("fast_gelu")


@operator
def npu_silu(self):
    return F.silu(self)


@operator
def npu_group_norm_swish(input, num_groups, weight, bias, eps=1e-5, swish_scale=1.0):
    """(y, mean, rstd)."""
    require(input.shape[1] // num_groups <= 4000, "npu_group_norm_swish: at most 4000 channels to a group")
    normal = F.group_norm(input, num_groups, weight, bias, eps)
    empty = input.new_empty(0)
    return normal * torch.sigmoid(swish_scale * normal), empty, empty


@operator
def npu_rotary_mul(input, r1, r2, rotary_mode="half", rotate=None):
    require(input.dim() in (3, 4), "npu_rotary_mul: the input has 3 or 4 dimensions")
    if rotary_mode == "half":
        first, second = input.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    elif rotary_mode == "interleave":
        turned = torch.stack((-input[..., 1::2], input[..., ::2]), -1).flatten(-2)
    else:
        raise RuntimeError(f"npu_rotary_mul: rotary_mode {rotary_mode!r} is neither half nor interleave")
    return input * r1 + turned * r2


@operator
def npu_confusion_transpose(self, perm, shape, transpose_first):
    return self.permute(perm).reshape(shape) if transpose_first else self.reshape(shape).permute(perm)


@operator
def npu_scaled_masked_softmax(x, mask, scale=1.0, fixed_triu_mask=False):
    require(not fixed_triu_mask, "npu_scaled_masked_softmax: build the triangular mask yourself, fixed_triu_mask must be False")
    require(mask.dtype == torch.bool, "npu_scaled_masked_softmax: the mask is bool")
    require(all(32 <= size <= 4096 and size % 32 == 0 for size in x.shape[-2:]),
            "npu_scaled_masked_softmax: the last two sizes are multiples of 32 from 32 to 4096")
    return torch.softmax((x * scale).masked_fill(mask, -10000.0), -1)


@operator
def npu_cross_entropy_loss(input, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0,
                           lse_square_scale_for_zloss=0.0, return_zloss=False):
    """(loss, log_prob, zloss, lse_for_zloss)."""
    require(input.dim() == 2 and target.dtype == torch.int64, "npu_cross_entropy_loss: input [N, C] and target [N] of int64")
    log_prob = F.log_softmax(input.float(), -1)
    loss = F.nll_loss(log_prob, target, weight, ignore_index=ignore_index, reduction=reduction)
    require(label_smoothing == 0.0 and lse_square_scale_for_zloss == 0.0, "the emulated npu_cross_entropy_loss has the defaults only")
    return loss, log_prob, input.new_zeros(()), input.new_zeros(())


@operator
def npu_linear(input, weight, bias=None):
    require(input.dim() == 2, "npu_linear: the input has 2 dimensions")
    return F.linear(input, weight, bias)


@operator
def npu_dtype_cast(input, dtype):
    return input.to(dtype)


@operator
def npu_format_cast(input, acl_format, customize_dtype=None):
    return input


def to_bnsd(tensor, layout, heads):
    """From any layout with a batch to [batch, heads, length, head size]."""
    if layout == "BNSD":
        return tensor
    if layout == "BSND":
        return tensor.transpose(1, 2)
    if layout == "SBH":
        tensor = tensor.transpose(0, 1)
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)


def from_bnsd(tensor, layout):
    if layout == "BNSD":
        return tensor
    tensor = tensor.transpose(1, 2)
    if layout == "BSND":
        return tensor
    tensor = tensor.flatten(-2)
    return tensor if layout == "BSH" else tensor.transpose(0, 1)


def allowed(length_q, length_k, mask, sparse_mode, pre_tockens, next_tockens, device):
    """True where a query may see a key."""
    row = torch.arange(length_q, device=device)[:, None]
    column = torch.arange(length_k, device=device)[None, :]
    if sparse_mode == 2:
        return column <= row
    if sparse_mode == 3:
        return column <= row + length_k - length_q
    require(sparse_mode in (0, 1), f"the emulated npu_fusion_attention has no sparse_mode {sparse_mode}")
    seen = torch.ones(length_q, length_k, dtype=torch.bool, device=device) if mask is None else ~mask.bool()
    if sparse_mode == 0:
        seen = seen & (column >= row - pre_tockens) & (column <= row + next_tockens)
    return seen


def attend(query, key, value, seen, scale, keep_prob):
    """Attention of [..., heads, length, head size]; groups of query heads share a key head."""
    groups = query.shape[-3] // key.shape[-3]
    key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
    scores = (query @ key.transpose(-2, -1)).float() * scale
    scores = scores.masked_fill(~seen, float("-inf"))
    weights = torch.softmax(scores, -1).nan_to_num(0.0)
    weights = F.dropout(weights, 1.0 - keep_prob) if keep_prob < 1.0 else weights
    return weights.to(value.dtype) @ value


@operator
def npu_fusion_attention(query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, scale=1.0,
                         keep_prob=1.0, pre_tockens=2147483647, next_tockens=2147483647, inner_precise=0, prefix=None,
                         actual_seq_qlen=None, actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False,
                         softmax_layout="", sink=None, dropout_mask=None, seed=0, offset=0):
    """(output, softmax max, softmax sum, softmax out, seed, offset, mask length); the mask is True where nothing is seen."""
    require(query.dtype == key.dtype == value.dtype, "npu_fusion_attention: query, key and value have one type")
    require(input_layout in ("BSH", "SBH", "BSND", "BNSD", "TND"), f"npu_fusion_attention: unknown input_layout {input_layout!r}")
    require(pse is None and padding_mask is None and prefix is None and sink is None,
            "the emulated npu_fusion_attention has no pse, padding_mask, prefix and sink")
    if atten_mask is not None:
        require(atten_mask.dtype in (torch.bool, torch.uint8), "npu_fusion_attention: atten_mask is bool or uint8")
    if sparse_mode in (2, 3):
        require(atten_mask is not None and tuple(atten_mask.shape) == (2048, 2048),
                f"npu_fusion_attention: sparse_mode {sparse_mode} takes the 2048 x 2048 upper triangle as atten_mask")

    def seen(length_q, length_k):
        return allowed(length_q, length_k, atten_mask, sparse_mode, pre_tockens, next_tockens, query.device)

    if input_layout == "TND":
        require(actual_seq_qlen is not None and actual_seq_kvlen is not None,
                "npu_fusion_attention: layout TND needs actual_seq_qlen and actual_seq_kvlen")
        parts, begin_q, begin_k = [], 0, 0
        for end_q, end_k in zip(actual_seq_qlen, actual_seq_kvlen):
            q, k, v = (t.transpose(0, 1) for t in (query[begin_q:end_q], key[begin_k:end_k], value[begin_k:end_k]))
            parts.append(attend(q, k, v, seen(end_q - begin_q, end_k - begin_k), scale, keep_prob).transpose(0, 1))
            begin_q, begin_k = end_q, end_k
        output = torch.cat(parts)
    else:
        require(query.shape[2 if input_layout == "BSND" else 1] == head_num or input_layout in ("BSH", "SBH"),
                f"npu_fusion_attention: head_num {head_num} is not that of the query")
        size = query.shape[-1] // head_num if input_layout in ("BSH", "SBH") else query.shape[-1]
        kv_heads = key.shape[-1] // size
        q, k, v = to_bnsd(query, input_layout, head_num), to_bnsd(key, input_layout, kv_heads), to_bnsd(value, input_layout, kv_heads)
        output = from_bnsd(attend(q, k, v, seen(q.shape[-2], k.shape[-2]), scale, keep_prob), input_layout)
    empty = query.new_empty(0, dtype=torch.float32)
    return output, empty, empty, empty, seed, offset, 0
