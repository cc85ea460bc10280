#!/usr/bin/env python3
import torch
import torch_npu
torch.npu.empty_cache()
