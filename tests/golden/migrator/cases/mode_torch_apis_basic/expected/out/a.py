import torch
import torch_npu
from torch import nn
import torch.nn.functional as F
from mylib import nothing

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 2)
        self.pool = nn.MaxPool3d(2)

    def forward(self, x):
        y = F.gumbel_softmax(x)
        y = y.to_sparse()
        z = torch.std_mean(x)
        return torch.poisson(y), z, torch.nosuch(1)

m = nn.DataParallel(Net())
t = torch.ones(2)
t.sspaddmm(t)
getattr(torch, "poisson")(t)
torch.npu.mstx.mark("x")
torch.compile(m)
d = {}
k, v = "a", 1
d[k] = v
t[k] = v
q = torch.matmul(t, t)
q2 = t @ t
