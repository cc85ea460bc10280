import torch
import torch_npu
with torch.autograd.profiler.profile(use_device="npu") as prof:
    pass
with torch.random.fork_rng(device_type="npu"):
    pass
if torch.is_autocast_enabled("npu"):
    d = torch.npu.get_autocast_dtype()
from torch_npu.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.NPU]) as p: pass
