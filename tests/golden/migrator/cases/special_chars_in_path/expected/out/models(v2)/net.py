import torch
import torch_npu
torch.npu.empty_cache()
