"""Trains on cuda: see https://example.org/cuda:setup and torch.cuda docs."""
import re
import torch
import torch_npu
PAT = re.compile(r"^cuda:(\d+)$")
PAT2 = re.compile("^(cuda|cpu)(:\\d+)?$")
print("Install from http://mirror/cuda:11.8/ for torch.cuda support")
IMAGE = "nvidia/cuda:12.1.0-devel-ubuntu22.04"
YAML = "cuda: true"
try:
    pass
except RuntimeError as e:
    if "NPU out of memory" in str(e):
        torch.npu.empty_cache()
