import torch


class Wrapper:
    def __init__(self, net):
        self.net = net

    def __getattr__(self, name):
        return getattr(self.__dict__["net"], name)


net = Wrapper(torch.nn.Linear(2, 2))
net.cuda()
print(next(net.parameters()).is_cuda)
