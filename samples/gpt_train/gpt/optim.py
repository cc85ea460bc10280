"""Optimiser and learning-rate schedule."""

import math

import torch
from torch.optim.lr_scheduler import LambdaLR

try:
    from apex.optimizers import FusedAdam
except ImportError:
    FusedAdam = None


def build_optimizer(model, cfg, device):
    groups = _decay_groups(model, cfg.weight_decay)
    options = {"lr": cfg.learning_rate, "betas": (0.9, 0.95)}
    if cfg.optimizer == "adam8bit":
        import bitsandbytes as bnb

        return bnb.optim.AdamW8bit(groups, **options)
    if cfg.optimizer == "fused_adam" and FusedAdam is not None and device.type == "cuda":
        return FusedAdam(groups, adam_w_mode=True, **options)
    return torch.optim.AdamW(groups, fused=device.type == "cuda", **options)


def _decay_groups(model, weight_decay):
    """Matrices decay; biases and norms do not."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]


def build_scheduler(optimizer, cfg):
    """Linear warm-up, then a cosine down to ``min_lr`` at ``decay_steps``."""
    floor = cfg.min_lr / cfg.learning_rate

    def scale(step):
        if step < cfg.warmup_steps:
            return (step + 1) / (cfg.warmup_steps + 1)
        progress = (step - cfg.warmup_steps) / max(1, cfg.decay_steps - cfg.warmup_steps)
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))

    return LambdaLR(optimizer, scale)
