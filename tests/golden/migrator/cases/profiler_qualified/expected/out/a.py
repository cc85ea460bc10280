import torch
import torch_npu
with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU], experimental_config=None) as prof:
    pass
act = torch_npu.profiler.ProfilerActivity
other = act.NPU
