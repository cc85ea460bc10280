# -*- coding: latin-1 -*-
import torch
import torch_npu
name = 'café'
x = torch.zeros(1).npu()
print(ascii(name))
