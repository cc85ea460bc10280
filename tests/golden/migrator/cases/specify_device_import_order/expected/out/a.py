import os
os.environ['OMP_NUM_THREADS'] = '1'
import torch
import torch_npu
torch.npu.empty_cache()
