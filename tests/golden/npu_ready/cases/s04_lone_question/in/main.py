import torch
from dev import name
net = torch.nn.Linear(2, 2)
if torch.cuda.is_available():
    net = net.cuda()
print(net(torch.ones(1, 2, device=name())))
