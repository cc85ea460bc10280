import math
import torch
import torch_npu
import torch.nn.functional as F
from flash_attn import flash_attn_func, flash_attn_varlen_func  # expect: third_party.replacement
from xformers.ops import LowerTriangularMask, memory_efficient_attention  # expect: third_party.replacement


def flash(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=q.shape[-1] ** -0.5)[0]  # expect: affinity.flash_attn


def causal(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=q.shape[-1] ** -0.5, atten_mask=torch.triu(torch.ones(2048, 2048, dtype=torch.bool, device=q.device), diagonal=1), sparse_mode=3)[0]  # expect: affinity.flash_attn_causal


def scaled(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=0.125)[0]  # expect: affinity.flash_attn_scaled


def both(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=0.125, atten_mask=torch.triu(torch.ones(2048, 2048, dtype=torch.bool, device=q.device), diagonal=1), sparse_mode=3)[0]  # expect: affinity.flash_attn_causal_scaled


def window(q, k, v, left, causal):
    x = flash_attn_func(q, k, v, window_size=(left, 0))  # expect: affinity.flash_attn_other
    return flash_attn_func(x, k, v, causal=causal)  # expect: affinity.flash_attn_other


def dropped(q, k, v):
    return flash_attn_func(q, k, v, dropout_p=0.1)  # expect: affinity.flash_attn_other


def packed(q, k, v, lengths, longest):
    x = torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "TND", scale=q.shape[-1] ** -0.5, actual_seq_qlen=lengths[1:].tolist(), actual_seq_kvlen=lengths[1:].tolist())[0]  # expect: affinity.flash_attn_varlen
    x = torch_npu.npu_fusion_attention(x, k, v, x.shape[1], "TND", scale=x.shape[-1] ** -0.5, atten_mask=torch.triu(torch.ones(2048, 2048, dtype=torch.bool, device=x.device), diagonal=1), sparse_mode=3, actual_seq_qlen=lengths[1:].tolist(), actual_seq_kvlen=lengths[1:].tolist())[0]  # expect: affinity.flash_attn_varlen_causal
    x = torch_npu.npu_fusion_attention(x, k, v, x.shape[1], "TND", scale=0.5, actual_seq_qlen=lengths[1:].tolist(), actual_seq_kvlen=lengths[1:].tolist())[0]  # expect: affinity.flash_attn_varlen_scaled
    return torch_npu.npu_fusion_attention(x, k, v, x.shape[1], "TND", scale=0.5, atten_mask=torch.triu(torch.ones(2048, 2048, dtype=torch.bool, device=x.device), diagonal=1), sparse_mode=3, actual_seq_qlen=lengths[1:].tolist(), actual_seq_kvlen=lengths[1:].tolist())[0]  # expect: affinity.flash_attn_varlen_causal_scaled


def commented(q, k, v, lengths, longest):
    return flash_attn_varlen_func(  # expect: affinity.flash_attn_varlen_causal_scaled
        q, k, v, lengths, lengths, longest, longest, softmax_scale=0.5, causal=True)


def efficient(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=q.shape[-1] ** -0.5)[0]  # expect: affinity.xformers_attention


def efficient_causal(q, k, v):
    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], "BSND", scale=q.shape[-1] ** -0.5, atten_mask=torch.triu(torch.ones(2048, 2048, dtype=torch.bool, device=q.device), diagonal=1), sparse_mode=2)[0]  # expect: affinity.xformers_attention_causal


def efficient_with_bias(x, k, v, p, bias):
    return memory_efficient_attention(x, k, v, attn_bias=bias, p=p, op=None)  # expect: affinity.xformers_attention_other


def manual(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0 / math.sqrt(q.size(-1)))  # expect: affinity.attention_divided


def operators(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)  # expect: affinity.attention


def weights_are_returned(q, k, v):
    weights = F.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.125, dim=-1)
    return torch.matmul(weights, v), weights  # expect: affinity.attention


def masked(q, k, v, mask):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.125)  # expect: affinity.attention_masked


def masked_and_divided(q, k, v, mask):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0 / math.sqrt(q.size(-1)))  # expect: affinity.attention_masked_divided


def filled(q, k, v, mask):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask != 0, scale=1.0 / math.sqrt(q.size(-1)))  # expect: affinity.attention_filled_divided


def filled_and_multiplied(q, k, v, mask):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask != 0, scale=0.125)  # expect: affinity.attention_filled


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
    return torch_npu.npu_scaled_masked_softmax(scores, mask, 0.5)  # expect: affinity.masked_softmax


def softmax_and_dropout(scores, mask, size, p, training):
    return torch_npu.contrib.function.fuse_add_softmax_dropout(training=training, dropout=torch.nn.Dropout(p), attn_mask=mask, attn_scores=scores, attn_head_size=size, p=p)  # expect: affinity.softmax_dropout


def native(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)  # expect: api.limited
