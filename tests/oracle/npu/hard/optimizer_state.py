import torch

net = torch.nn.Linear(2, 1).cuda()
optimizer = torch.optim.Adam(net.parameters())
net(torch.ones(1, 2).cuda()).sum().backward()
optimizer.step()
for state in optimizer.state.values():
    for key, value in state.items():
        if isinstance(value, torch.Tensor):
            state[key] = value.cuda()
print(len(optimizer.state))
