import torch

def count(x):
    return x.sum().item()

def smooth(x):
    return x[x > 0].mean() + count(x)

def unused(x):
    return x.sum().item()

class Focal(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = torch.zeros(1).item()
    def helper(self, x):
        return x.sum().item()
    def forward(self, x, y):
        if y % 10 == 0:
            print(x.sum().item())
        return self.helper(x) * torch.tensor(3.0)
