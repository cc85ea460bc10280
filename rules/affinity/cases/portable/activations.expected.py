import torch
import torch.nn.functional as F
from apex.normalization import FusedLayerNorm  # expect: third_party.ascend_fork

norm = torch.nn.LayerNorm(8, eps=1e-5)  # expect: affinity.apex_layer_norm


def swish(x):
    return torch.nn.functional.silu(x)  # expect: affinity.silu


def swiglu(x):
    a, b = x.chunk(2, dim=-1)
    return F.silu(a) * b  # expect: affinity.swiglu
