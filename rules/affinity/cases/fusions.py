import torch
import torch.distributed as dist
import torch.nn.functional as F


def row_parallel(x, weight, group):
    y = torch.matmul(x, weight)
    dist.all_reduce(y, group=group)  # expect: affinity.matmul_all_reduce
    return y


def row_linear(x, weight):
    y = F.linear(x, weight)
    dist.all_reduce(y)  # expect: affinity.matmul_all_reduce
    return y


def sequence_parallel(x, weight, out, group):
    dist.reduce_scatter_tensor(out, x @ weight, group=group)  # expect: affinity.matmul_reduce_scatter
    dist.reduce_scatter_tensor(out, x, group=group)  # ok: affinity.matmul_reduce_scatter
    dist.all_reduce(x)  # ok: affinity.matmul_all_reduce


def route(logits, k):
    probabilities = F.softmax(logits, dim=-1)
    return torch.topk(probabilities, k, dim=-1)  # expect: affinity.moe_gating


def gated(gate, up):
    return (up + 1) * (gate * torch.sigmoid(gate * 1.702))  # expect: affinity.clipped_swiglu
