#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""torch.cuda in a docstring stays."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.cuda import Stream  # expect: cuda.renamed


def free(stream: Stream):  # expect: cuda.renamed
    import torch

    torch.cuda.empty_cache()  # expect: cuda.renamed


def plain():
    import torch

    return torch.zeros(1)


def in_a_class_body():
    class Holder:
        import torch
        device = torch.device("cuda")  # expect: device.string

    return Holder
