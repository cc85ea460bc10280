import torch


def train(device):
    net = torch.nn.Linear(2, 2).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.zeros(4, 2):
        net(x.to(device)).sum().backward()
        optimizer.step()
