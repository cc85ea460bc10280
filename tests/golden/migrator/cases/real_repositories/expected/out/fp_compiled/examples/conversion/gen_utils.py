import torch
import torch_npu
def to_cuda(x):
    return x.npu() if isinstance(x, torch.Tensor) else x
