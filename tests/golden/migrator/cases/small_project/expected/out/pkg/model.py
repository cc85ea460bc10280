import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 16)

    def forward(self, x):
        if x.is_cuda:
            return torch.ops.gelu_ops.bias_gelu(self.layer(x), self.layer.bias)
        return self.layer(x)
