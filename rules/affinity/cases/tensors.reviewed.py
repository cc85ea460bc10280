import torch
import torch_npu
from torch import nn

lstm = nn.LSTM(4, 8, bidirectional=True)  # expect: affinity.bilstm, api.limited
plain = nn.LSTM(4, 8)  # ok: affinity.bilstm


def product(a, b):
    return torch_npu.contrib.function.matmul_transpose(a, b)  # expect: affinity.matmul_transposed


def shifted(x, size):
    return torch_npu.contrib.function.roll(x, shifts=[-size, -size], dims=[1, 2])  # expect: affinity.roll


def one_dimension(x):
    return torch.roll(x, 1, dims=0)  # ok: affinity.roll
