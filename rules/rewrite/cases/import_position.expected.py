#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""torch.cuda in a docstring stays."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.npu import Stream  # expect: cuda.renamed


def free(stream: Stream):  # expect: cuda.renamed
    import torch
    import torch_npu

    torch.npu.empty_cache()  # expect: cuda.renamed


def plain():
    import torch

    return torch.zeros(1)


def in_a_class_body():
    class Holder:
        import torch
        import torch_npu
        device = torch.device("npu")  # expect: device.string

    return Holder
