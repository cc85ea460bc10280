# The bound name cannot follow where others may know it; then it becomes an alias.
import torch
from torch import cuda  # expect: cuda.module
from torch.cuda import CUDAGraph  # expect: cuda.renamed

__all__ = ["cuda", "CUDAGraph"]  # ok: device.string


def free():
    cuda.empty_cache()  # expect: cuda.renamed
    return CUDAGraph()  # expect: cuda.renamed
