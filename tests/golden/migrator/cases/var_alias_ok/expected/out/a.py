import torch
import torch_npu
backend = torch.npu
backend.empty_cache()
backend.manual_seed_all(3)
