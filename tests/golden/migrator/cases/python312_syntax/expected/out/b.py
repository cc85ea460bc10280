import torch
import torch_npu
opts = {'d': 'npu'}
name = f"{opts['d']}:{":".join(['0'])}"
dev = f"{opts["d"]}:0"
x = torch.zeros(1).npu()
