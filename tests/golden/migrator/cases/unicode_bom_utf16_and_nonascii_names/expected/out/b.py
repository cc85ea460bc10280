import torch
import torch_npu
# 注释 torch.cuda
x = torch.zeros(1).npu()  # 注释
