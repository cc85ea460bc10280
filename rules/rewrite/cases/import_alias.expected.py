# The bound name cannot follow where others may know it; then it becomes an alias.
import torch
import torch_npu
from torch import npu as cuda  # expect: cuda.module
from torch.npu import NPUGraph as CUDAGraph  # expect: cuda.renamed

__all__ = ["cuda", "CUDAGraph"]  # ok: device.string


def free():
    cuda.empty_cache()  # expect: cuda.renamed
    return CUDAGraph()  # expect: cuda.renamed
