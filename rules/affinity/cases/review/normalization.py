import torch
import torch.nn.functional as F
from torch import nn
from apex.normalization import FusedLayerNorm, FusedRMSNorm  # expect: third_party.ascend_fork


def layer_norm():
    return FusedLayerNorm(8, eps=1e-6)  # expect: affinity.apex_layer_norm


def frugal_layer_norm():
    return FusedLayerNorm((8,), memory_efficient=True)  # expect: affinity.apex_layer_norm


def rms_norm():
    return FusedRMSNorm(8)  # expect: affinity.apex_rms_norm


class Statements(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.variance_epsilon = 1e-6

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)  # expect: affinity.rms_norm


class Methods(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.float()).type_as(x)
        return output * self.weight  # expect: affinity.rms_norm


class Gemma(Methods):
    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.float())
        output = output * (1.0 + self.weight.float())
        return output.type_as(x)  # expect: affinity.rms_norm


def divided(x, weight, eps: float):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight  # expect: affinity.rms_norm


def other_axis(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6) * weight  # ok: affinity.rms_norm


def functional(x, residual, weight):
    y = F.rms_norm(x, (8,), weight, eps=1e-6)  # expect: affinity.rms_norm
    return F.rms_norm(x + residual, (8,), weight, eps=1e-6), y  # expect: affinity.add_rms_norm


def default_epsilon(x, weight):
    return F.rms_norm(x, (8,), weight)  # ok: affinity.rms_norm


def group(x, weight, bias):
    return F.silu(F.group_norm(x, 4, weight, bias, 1e-5))  # expect: affinity.group_norm_silu, api.limited
