import torch
from timm.optim import RMSpropTF  # expect: third_party.native
from torch.optim import AdamW, SGD
from apex import optimizers  # expect: third_party.ascend_fork
from apex.optimizers import FusedAdam, FusedLAMB


def adam(model):
    return torch.optim.Adam(model.parameters(), lr=0.1)  # expect: affinity.adam, api.limited


def adamw(model):
    return AdamW(model.parameters(), lr=0.1, weight_decay=0.01)  # expect: affinity.adamw


def commented(model):
    return AdamW(  # expect: affinity.adamw
        model.parameters(),
        lr=0.1,
    )


def momentum(model):
    return SGD(model.parameters(), 0.1, momentum=0.9)  # expect: affinity.sgd


def adadelta(model):
    return torch.optim.Adadelta(model.parameters())  # expect: affinity.adadelta


def rmsprop(model):
    return torch.optim.RMSprop(model.parameters(), alpha=0.9)  # expect: affinity.rmsprop


def rmsprop_tf(model):
    return RMSpropTF(model.parameters(), 0.1, momentum=0.9)  # expect: affinity.rmsprop_tf


def maximizing(model):
    return AdamW(model.parameters(), maximize=True)  # ok: affinity.adamw


def open_ended(model, **options):
    return AdamW(model.parameters(), **options)  # expect: affinity.adamw


def apex(model):
    return FusedAdam(model.parameters(), 1e-3)  # expect: affinity.apex_fused_adam


def apex_with_l2(model):
    return FusedAdam(model.parameters(), adam_w_mode=False, weight_decay=0.1)  # expect: affinity.apex_fused_adam_l2


def apex_with_momentum(model):
    return optimizers.FusedSGD(model.parameters(), lr=0.1, momentum=0.9)  # expect: affinity.apex_fused_sgd


def lamb(model):
    return FusedLAMB(model.parameters(), lr=0.1)  # expect: affinity.apex_fused_lamb


def clipped(model):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: affinity.clip_grad_norm
