import torch
import torch_npu
if torch.npu.is_available():
    x = 'cuda'
