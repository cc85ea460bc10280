import torch
import torch_npu
check = torch.npu.is_available
check = lambda: "mine"
print(check())
