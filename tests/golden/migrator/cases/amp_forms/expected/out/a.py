import torch
import torch_npu
import torch.npu.amp as amp
from torch import amp as tamp, autocast
with amp.autocast(dtype=torch.float16): pass
with tamp.autocast("npu"): pass
with autocast("npu", enabled=False): pass
s = torch.amp.GradScaler("npu")
k = torch.npu.get_autocast_dtype()
torch.npu.set_autocast_dtype(torch.float16)
torch.clear_autocast_cache()
