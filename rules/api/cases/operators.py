import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Gamma


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.utils.weight_norm(nn.Linear(4, 4))  # expect: operator.backward_on_cpu
        self.bags = nn.EmbeddingBag(8, 4)  # expect: operator.backward_on_cpu
        self.cell = nn.LSTMCell(4, 4)  # expect: operator.compiled
        self.norm = nn.LayerNorm(4)  # ok: operator.on_cpu

    def forward(self, x: torch.Tensor, y: torch.Tensor):
        loss = F.huber_loss(x, y)  # expect: operator.on_cpu
        loss = loss + F.huber_loss(y, x)  # ok: operator.on_cpu
        loss = loss + torch.lgamma(x).sum()  # expect: operator.on_cpu
        loss = loss + x.lgamma().sum()  # ok: operator.on_cpu
        return loss + F.smooth_l1_loss(x, y)  # ok: operator.on_cpu

    def penalty(self, x: torch.Tensor):
        return torch.lgamma(x)  # expect: operator.on_cpu


def solve(a, b):
    torch.linalg.matrix_rank(a)  # expect: operator.sometimes_on_cpu
    torch.sparse.mm(a, b)  # expect: operator.unknown
    a = torch.matmul(a, b)  # ok: operator.on_cpu
    return torch.linalg.solve(a, b)  # expect: operator.on_cpu


def draw(shape, rate):
    prior = Gamma(shape, rate)
    prior.variance  # ok: operator.on_cpu
    return prior.rsample()  # expect: operator.on_cpu


def optimizers(parameters):
    torch.optim.Adam(parameters)  # expect: api.limited, affinity.adam
    torch.optim.Adam(parameters, fused=False)  # expect: affinity.adam
    return torch.optim.Adam(parameters, fused=True)  # expect: operator.on_cpu, affinity.adam


def points(x):
    return torch.scatter_reduce(x, 0, x.long(), x, "sum")  # expect: api.unverified
