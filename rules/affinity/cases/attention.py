import math
import torch
import torch.nn.functional as F
from flash_attn import flash_attn_func, flash_attn_varlen_func  # expect: third_party.replacement
from xformers.ops import LowerTriangularMask, memory_efficient_attention  # expect: third_party.replacement


def flash(q, k, v):
    return flash_attn_func(q, k, v)  # expect: affinity.flash_attn


def causal(q, k, v):
    return flash_attn_func(q, k, v, causal=True, deterministic=True)  # expect: affinity.flash_attn_causal


def scaled(q, k, v):
    return flash_attn_func(q, k, v, softmax_scale=0.125)  # expect: affinity.flash_attn_scaled


def both(q, k, v):
    return flash_attn_func(q, k, v, 0.0, 0.125, True)  # expect: affinity.flash_attn_causal_scaled


def window(q, k, v, left, causal):
    x = flash_attn_func(q, k, v, window_size=(left, 0))  # expect: affinity.flash_attn_other
    return flash_attn_func(x, k, v, causal=causal)  # expect: affinity.flash_attn_other


def dropped(q, k, v):
    return flash_attn_func(q, k, v, dropout_p=0.1)  # expect: affinity.flash_attn_other


def packed(q, k, v, lengths, longest):
    x = flash_attn_varlen_func(q, k, v, lengths, lengths, longest, longest)  # expect: affinity.flash_attn_varlen
    x = flash_attn_varlen_func(x, k, v, lengths, lengths, longest, longest, causal=True)  # expect: affinity.flash_attn_varlen_causal
    x = flash_attn_varlen_func(x, k, v, lengths, lengths, longest, longest, softmax_scale=0.5)  # expect: affinity.flash_attn_varlen_scaled
    return flash_attn_varlen_func(x, k, v, lengths, lengths, longest, longest, softmax_scale=0.5, causal=True)  # expect: affinity.flash_attn_varlen_causal_scaled


def commented(q, k, v, lengths, longest):
    return flash_attn_varlen_func(  # expect: affinity.flash_attn_varlen_causal_scaled
        q, k, v, lengths, lengths, longest, longest, softmax_scale=0.5, causal=True)


def efficient(q, k, v):
    return memory_efficient_attention(q, k, v)  # expect: affinity.xformers_attention


def efficient_causal(q, k, v):
    return memory_efficient_attention(q, k, v, attn_bias=LowerTriangularMask())  # expect: affinity.xformers_attention_causal


def efficient_with_bias(x, k, v, p, bias):
    return memory_efficient_attention(x, k, v, attn_bias=bias, p=p, op=None)  # expect: affinity.xformers_attention_other


def manual(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, v)  # expect: affinity.attention_divided


def operators(q, k, v):
    return ((q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5).softmax(dim=-1) @ v  # expect: affinity.attention


def weights_are_returned(q, k, v):
    weights = F.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.125, dim=-1)
    return torch.matmul(weights, v), weights  # expect: affinity.attention


def masked(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-1, -2)) * 0.125
    scores = scores + mask
    return torch.softmax(scores, dim=-1) @ v  # expect: affinity.attention_masked


def masked_and_divided(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1)) + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(weights, v)  # expect: affinity.attention_masked_divided


def filled(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(mask == 0, -1e9)
    return torch.matmul(scores.softmax(dim=-1), v)  # expect: affinity.attention_filled_divided


def filled_and_multiplied(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) * 0.125
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), v)  # expect: affinity.attention_filled


def with_dropout(q, k, v, mask, p, training):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    weights = F.dropout(F.softmax(scores + mask, dim=-1), p, training)
    return torch.matmul(weights, v)  # expect: affinity.attention_dropout


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        weights = self.dropout(F.softmax(scores + mask, dim=-1))
        return torch.matmul(weights, v)  # expect: affinity.attention_dropout


def batched(q, k, v):
    return torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)) * 0.125, dim=-1), v)  # expect: affinity.attention_baddbmm


def einsum(q, k, v):
    weights = torch.einsum("bhid,bhjd->bhij", q, k).softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", weights, v)  # expect: affinity.attention_einsum


def softmax_alone(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -10000.0) * 0.5, dim=-1)  # expect: affinity.masked_softmax


def softmax_and_dropout(scores, mask, size, p, training):
    return F.dropout(F.softmax(scores / math.sqrt(size) + mask, dim=-1), p, training)  # expect: affinity.softmax_dropout


def native(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)  # expect: api.limited
