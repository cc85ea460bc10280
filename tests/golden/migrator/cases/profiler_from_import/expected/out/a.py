import torch
import torch_npu
from torch_npu.profiler import profile, schedule, ProfilerActivity, tensorboard_trace_handler
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.NPU],
             schedule=schedule(wait=1, warmup=1, active=1),
             on_trace_ready=tensorboard_trace_handler("log")) as prof:
    prof.step()
print(prof.key_averages().table(sort_by="cuda_time_total"))
with torch.autograd.profiler.profile(use_device="npu") as p2:
    pass
