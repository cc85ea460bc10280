import torch
import torch_npu
设备 = 'npu'
x = torch.zeros(1).to(设备)
print('使用cuda: 训练')
