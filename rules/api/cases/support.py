import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(8, 8)  # expect: api.unverified
        self.pool = nn.MaxPool2d(2)  # ok: api.unsupported
        self.table = nn.Embedding(10, 4)  # ok: api.limited
        self.small = nn.Embedding(10, 4, max_norm=1.0)  # expect: api.limited
        self.weight = nn.Parameter(torch.zeros(torch.Size([2])))  # ok: api.unsupported

    def forward(self, x):
        best, where = torch.topk(x, 2)  # ok: api.limited
        best, where = torch.topk(x, 2, sorted=False)  # ok: api.beyond_limit, api.limited
        y = F.max_pool2d(x, 2, dilation=2)  # expect: api.beyond_limit
        z = F.gelu(x)  # expect: api.limited
        return torch.std_mean(x), torch.std_mean(y), z  # expect: api.unverified


@torch.jit.script_if_tracing  # ok: api.limited
def positions(x, lstm=nn.LSTM(8, 8, 1, True, False, 0.1)):  # expect: api.beyond_limit, api.limited
    y = F.max_pool2d(x, 2, 2, 0, 2)  # expect: api.beyond_limit
    return F.interpolate(y, None, 2.0, "nearest"), F.interpolate(y, (2, 2), mode="nearest-exact")  # expect: api.limited, api.beyond_limit


def dense(x: torch.Tensor):
    return x.to_dense()  # expect: api.unsupported


spread = getattr(torch, "var_mean")  # expect: api.unverified
