import torch
import torch_npu
import torch.nn.functional as F
from torch import nn
from apex.normalization import FusedRMSNorm  # expect: third_party.ascend_fork


def layer_norm():
    return torch.nn.LayerNorm(8, eps=1e-6)  # expect: affinity.apex_layer_norm


def frugal_layer_norm():
    return torch.nn.LayerNorm((8,))  # expect: affinity.apex_layer_norm


def rms_norm():
    return torch.nn.RMSNorm(8, eps=1e-5)  # expect: affinity.apex_rms_norm


class Statements(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.variance_epsilon = 1e-6

    def forward(self, hidden_states):
        return torch_npu.npu_rms_norm(hidden_states, self.weight, epsilon=self.variance_epsilon)[0]  # expect: affinity.rms_norm


class Methods(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return torch_npu.npu_rms_norm(x, self.weight, epsilon=self.eps)[0]  # expect: affinity.rms_norm


class Gemma(Methods):
    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return torch_npu.npu_rms_norm(x, 1.0 + self.weight.float(), epsilon=self.eps)[0]  # expect: affinity.rms_norm


def divided(x, weight, eps: float):
    return torch_npu.npu_rms_norm(x, weight, epsilon=1e-6)[0]  # expect: affinity.rms_norm


def other_axis(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6) * weight  # ok: affinity.rms_norm


def functional(x, residual, weight):
    y = torch_npu.npu_rms_norm(x, weight, epsilon=1e-6)[0]  # expect: affinity.rms_norm
    return torch_npu.npu_add_rms_norm(x, residual, weight, epsilon=1e-6)[0], y  # expect: affinity.add_rms_norm


def default_epsilon(x, weight):
    return F.rms_norm(x, (8,), weight)  # ok: affinity.rms_norm


def group(x, weight, bias):
    return torch_npu.npu_group_norm_swish(x, 4, weight, bias, eps=1e-5)[0]  # expect: affinity.group_norm_silu, api.limited
