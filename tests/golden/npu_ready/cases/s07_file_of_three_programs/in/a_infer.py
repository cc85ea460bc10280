import torch
from model import f
f(torch.ones(1, device="npu" if torch.npu.is_available() else "cuda"))
