import torch
import torch_npu
from timm.optim import RMSpropTF  # expect: third_party.native
from torch.optim import AdamW, SGD
from apex import optimizers  # expect: third_party.ascend_fork
from apex.optimizers import FusedLAMB


def adam(model):
    return torch_npu.optim.NpuFusedAdam(model.parameters(), lr=0.1)  # expect: affinity.adam, api.limited


def adamw(model):
    return torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=0.1, weight_decay=0.01)  # expect: affinity.adamw


def commented(model):
    return AdamW(  # expect: affinity.adamw
        model.parameters(),
        lr=0.1,
    )


def momentum(model):
    return torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1, momentum=0.9)  # expect: affinity.sgd


def adadelta(model):
    return torch_npu.optim.NpuFusedAdadelta(model.parameters())  # expect: affinity.adadelta


def rmsprop(model):
    return torch_npu.optim.NpuFusedRMSprop(model.parameters(), alpha=0.9)  # expect: affinity.rmsprop


def rmsprop_tf(model):
    return torch_npu.optim.NpuFusedRMSpropTF(model.parameters(), lr=0.1, momentum=0.9)  # expect: affinity.rmsprop_tf


def maximizing(model):
    return AdamW(model.parameters(), maximize=True)  # ok: affinity.adamw


def open_ended(model, **options):
    return AdamW(model.parameters(), **options)  # expect: affinity.adamw


def apex(model):
    return torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=1e-3, weight_decay=0.0)  # expect: affinity.apex_fused_adam


def apex_with_l2(model):
    return torch_npu.optim.NpuFusedAdam(model.parameters(), weight_decay=0.1)  # expect: affinity.apex_fused_adam_l2


def apex_with_momentum(model):
    return torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1, momentum=0.9)  # expect: affinity.apex_fused_sgd


def lamb(model):
    return FusedLAMB(model.parameters(), lr=0.1)  # expect: affinity.apex_fused_lamb


def clipped(model):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: affinity.clip_grad_norm
