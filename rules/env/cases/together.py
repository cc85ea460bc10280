import os

import torch

os.environ["HCCL_INTRA_ROCE_ENABLE"] = "1"
os.environ["HCCL_INTRA_PCIE_ENABLE"] = "1"  # expect: env.bad_value
torch.npu.set_per_process_memory_fraction(1.5)  # expect: env.memory_fraction
torch.npu.set_per_process_memory_fraction(-0.1, 0)  # expect: env.memory_fraction
torch.npu.set_per_process_memory_fraction(fraction=0.9)  # ok: env.memory_fraction


def low():
    os.environ["PYTORCH_NPU_ALLOC_CONF"] = "max_split_size_mb:64"


def high():
    os.environ["PYTORCH_NPU_ALLOC_CONF"] = "expandable_segments:True"  # ok: env.bad_value
