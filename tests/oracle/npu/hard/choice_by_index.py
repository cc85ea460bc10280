import torch

device = ("cpu", "cuda")[torch.cuda.is_available()]
net = torch.nn.Linear(3, 1).to(device)
print(net(torch.ones(1, 3, device=device)).shape)
