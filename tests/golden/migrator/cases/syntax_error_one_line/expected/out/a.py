import torch
import torch_npu
x = torch.zeros(1).npu()
def broken(:
    pass
y = torch.npu.is_available()
