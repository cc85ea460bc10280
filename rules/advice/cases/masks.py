import numpy as np
import torch


def step(x: torch.Tensor, target: torch.Tensor) -> None:
    valid = target >= 0
    picked = x[valid]  # ok: advice.mask_reduced
    other = np.zeros(3)
    rest = other[other > 0].mean()  # ok: advice.mask_reduced
    x[valid].mean().backward()  # expect: advice.mask_reduced
