#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""doc"""
from __future__ import annotations
import os; import torch
import torch_npu
torch.npu.empty_cache()
