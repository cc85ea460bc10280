from torch import *
import torch
import torch_npu
if torch.npu.is_available():
    x = zeros(2, device=0)
    x = x.npu()
    torch.npu.manual_seed_all(1)
