"""What transfer_to_npu redirects stays."""
from __future__ import annotations

import os

import torch_npu
from torch_npu.contrib import transfer_to_npu
import torch  # expect: program.transfer
from torch.cuda.amp import autocast

os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0"  # expect: env.renamed
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # expect: device.string, cuda.renamed
net = torch.nn.Linear(2, 2).cuda()  # expect: method.cuda
if net.weight.device.type in ("cuda", "npu"):  # expect: device.string
    torch.cuda.synchronize()  # expect: cuda.renamed
if device.type not in ("cuda", "npu") or device.type in ["cuda", "npu", "mps"]:  # expect: device.string, device.string
    torch.npu.mstx.range_push("step")  # expect: cuda.renamed
sums = torch.npu.FloatTensor(2)  # expect: cuda.renamed
with autocast():  # expect: amp.renamed
    pass
match device.type:
    case "cuda" | "npu":  # expect: device.string
        names = {"cuda": 1, "cpu": 2}[device.type]  # expect: device.string
