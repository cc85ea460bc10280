import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.extra = torch.ones(2)

    def cuda(self, device=None):
        self.extra = self.extra.cuda(device)
        return super().cuda(device)

    def forward(self, x):
        return x * self.weight + self.extra


net = Net().cuda()
print(net(torch.ones(2).cuda()).sum().item())
