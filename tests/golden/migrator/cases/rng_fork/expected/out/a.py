import torch
import torch_npu
with torch.random.fork_rng(devices=[0], device_type="npu"):
    torch.npu.manual_seed(1)
from torch.random import fork_rng
with fork_rng(device_type="npu"):
    pass
