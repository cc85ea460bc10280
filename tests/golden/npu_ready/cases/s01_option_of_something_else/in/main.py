import sys
import torch
from dev import name
net = torch.nn.Linear(2, 2).to(name())
if "--half" in sys.argv:
    net = net.half().cuda()
for step in range(2):
    if step % 2 == 0:
        x = torch.ones(1, 2, device="cuda")
print(net)
