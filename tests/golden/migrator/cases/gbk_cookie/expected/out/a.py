# -*- coding: gbk -*-
import torch
import torch_npu
name = '你好'
x = torch.zeros(1).npu()
print(ascii(name))
