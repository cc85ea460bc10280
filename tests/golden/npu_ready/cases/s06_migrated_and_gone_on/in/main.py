import torch
import torch_npu
net = torch.nn.Linear(2, 2).npu()
x = torch.ones(1, 2).cuda()
print(net(x))
