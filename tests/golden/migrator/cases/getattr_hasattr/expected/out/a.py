import torch
import torch_npu
mod = getattr(torch, 'npu')
ok = hasattr(torch, 'npu') and mod.is_available()
move = getattr(torch.nn.Linear(1, 1), 'npu')
move()
name = 'is_' + 'available'
flag = getattr(torch.npu, name)()
