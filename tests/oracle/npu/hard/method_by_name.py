import torch

x = torch.ones(2)
x = getattr(x, "cuda")()
net = torch.nn.Linear(2, 1)
for move in ("float", "cuda"):
    net = getattr(net, move)()
print(net(x).shape)
