"""What transfer_to_npu redirects stays."""
from __future__ import annotations

import os

import torch  # expect: program.transfer
from torch.cuda.amp import autocast

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # expect: env.renamed
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # expect: device.string, cuda.renamed
net = torch.nn.Linear(2, 2).cuda()  # expect: method.cuda
if net.weight.device.type == "cuda":  # expect: device.string
    torch.cuda.synchronize()  # expect: cuda.renamed
if device.type!="cuda" or device.type in ["cuda", "mps"]:  # expect: device.string, device.string
    torch.cuda.nvtx.range_push("step")  # expect: cuda.renamed
sums = torch.cuda.FloatTensor(2)  # expect: cuda.renamed
with autocast():  # expect: amp.renamed
    pass
match device.type:
    case "cuda":  # expect: device.string
        names = {"cuda": 1, "cpu": 2}[device.type]  # expect: device.string
