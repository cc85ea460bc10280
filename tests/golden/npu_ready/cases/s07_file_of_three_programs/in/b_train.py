import torch
from model import f
f(torch.ones(1).cuda())
