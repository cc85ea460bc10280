import math
import torch
import torch.nn.functional as F
from flash_attn.ops.activations import swiglu as fused_swiglu  # expect: third_party.replacement
from torch import nn


class Swish(nn.Module):
    def forward(self, x):
        return torch.nn.functional.silu(x)  # expect: affinity.silu


class Mish(nn.Module):
    def forward(self, x):
        x = torch.nn.functional.mish(x)  # expect: affinity.mish
        return x


def logistic(x):
    return torch.nn.functional.silu(x)  # expect: affinity.silu


def methods(x):
    return x.sigmoid() * x  # expect: affinity.silu


def no_tensor_is_known(x):
    # Anything may have such a method.
    return x * x.sigmoid()  # expect: affinity.silu


def other(x, y):
    return x * torch.sigmoid(y)  # ok: affinity.silu


def rebound(x):
    gate = torch.sigmoid(x)
    x = x + 1
    return x * gate  # ok: affinity.silu


def statements(x):
    return torch.nn.functional.silu(x)  # expect: affinity.silu


def gate_is_used(x):
    gate = torch.sigmoid(x)
    return gate * x, gate  # expect: affinity.silu


def changed_in_place(x):
    gate = torch.sigmoid(x)
    x[0] = 0
    return gate * x  # ok: affinity.silu


def in_a_loop(xs, x):
    gate = torch.sigmoid(x)
    for y in xs:
        x = x * gate  # ok: affinity.silu
    return x


def in_one_branch(x, flag):
    gate = torch.sigmoid(x)
    if flag:
        return 1 + gate * x  # expect: affinity.silu
    return gate


def commented(x):
    gate = torch.sigmoid(x)  # the gate
    return gate * x  # expect: affinity.silu


def side_effects(layer, x):
    return layer(x) * torch.sigmoid(layer(x))  # ok: affinity.silu


def new_gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")  # expect: affinity.gelu_tanh


def fast_gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")  # expect: affinity.gelu_tanh


def half(x):
    return torch.nn.functional.gelu(x, approximate="tanh")  # expect: affinity.gelu_tanh


def other_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.04 * torch.pow(x, 3.0))))  # ok: affinity.gelu_tanh


def gelu(x):
    return torch.nn.functional.gelu(x)  # expect: affinity.gelu_erf


def squared_gelu(x):
    return (torch.nn.functional.gelu(x)) ** 2  # expect: affinity.gelu_erf


def quick(x):
    return x * torch.sigmoid(1.702 * x)  # expect: affinity.quick_gelu


def swiglu(x):
    x = torch.chunk(x, 2, dim=-1)
    return F.silu(x[0]) * x[1]  # expect: affinity.swiglu


def swiglu_halves(x):
    a, b = x.chunk(2, dim=-1)
    return F.silu(a) * b  # expect: affinity.swiglu


class MLP(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.act = nn.SiLU()
        self.gate, self.up, self.down = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        return self.down(self.act(self.gate(x)) * self.up(x))  # expect: affinity.swiglu_projections

    def other_order(self, x):
        return self.up(x) * self.act(self.gate(x))  # expect: affinity.swiglu_projections


def geglu(x):
    a, b = x.chunk(2, dim=-1)
    return F.gelu(a) * b  # expect: affinity.geglu, api.limited


def geglu_of_diffusers(x):
    x, gate = x.chunk(2, dim=-1)
    return x * F.gelu(gate)  # expect: affinity.geglu_second


def swiglu_of_a_package(gate, up):
    return fused_swiglu(gate, up)  # expect: affinity.swiglu_call


def filled_in(x):
    # What a partial has filled in would be lost.
    from functools import partial
    tanh = partial(F.gelu, approximate="tanh")
    a, b = torch.chunk(x, 2, dim=-1)
    return tanh(a) * b  # ok: affinity.geglu
