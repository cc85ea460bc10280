import math

import torch
import torch_npu  # hand: import
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return torch_npu.npu_rms_norm(x, self.weight, epsilon=1e-6)[0]  # hand: perf.fused_op


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(size, 3 * size)
        self.out = nn.Linear(size, size)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(~mask[:, None, None, :], torch.finfo(scores.dtype).min)  # hand: op.inf_to_finite
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class LanguageModel(nn.Module):
    def __init__(self, words, size, heads, layers):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.layers = nn.ModuleList([Attention(size, heads) for _ in range(layers)])
        self.norm = RMSNorm(size)
        self.head = nn.Linear(size, words)

    def forward(self, tokens, mask):
        positions = torch.arange(tokens.size(1), dtype=torch.int32, device=tokens.device)  # hand: op.int64_to_int32
        x = self.embed(tokens) + positions[None, :, None].cos()
        for layer in self.layers:
            x = x + layer(x, mask)
        logits = self.head(self.norm(x))[:, :-1]
        losses = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
        kept = tokens[:, 1:].flatten() != 0  # hand: op.mask_instead_of_index
        return (losses * kept).sum() / kept.sum()
