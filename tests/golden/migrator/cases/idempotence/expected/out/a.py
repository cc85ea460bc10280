import torch
import torch_npu
rank = 0
x = torch.zeros(1, device=rank).to(rank).npu()
torch.npu.empty_cache()
