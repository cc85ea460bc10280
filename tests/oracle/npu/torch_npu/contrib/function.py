"""torch_npu.contrib.function: what the helpers compute, by their documentation."""

import math

import torch


def matmul_transpose(tensor1, tensor2):
    return torch.matmul(tensor1, tensor2.transpose(-2, -1))


def roll(input1, shifts, dims):
    if input1.dim() != 4 or len(shifts) != 2 or len(dims) != 2:
        raise RuntimeError("roll: takes an input of 4 dimensions, two shifts and two dims")
    return torch.roll(input1, shifts=tuple(shifts), dims=tuple(dims))


def fuse_add_softmax_dropout(training, dropout, attn_mask, attn_scores, attn_head_size, p=0.5, dim=-1):
    scores = attn_scores / math.sqrt(attn_head_size) + attn_mask
    return dropout(torch.softmax(scores, dim))
