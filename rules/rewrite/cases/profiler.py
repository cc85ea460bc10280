import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule  # expect: profiler.renamed, profiler.renamed, profiler.renamed

with profile(  # expect: profiler.renamed
    activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],  # expect: profiler.renamed, profiler.renamed
    schedule=schedule(wait=1, warmup=1, active=1),  # expect: profiler.renamed
    on_trace_ready=torch.profiler.tensorboard_trace_handler("log"),  # expect: profiler.renamed
    experimental_config=None,  # expect: profiler.experimental_config
) as prof:
    with record_function("forward"):
        prof.step()
print(prof.key_averages().table(sort_by="cuda_time_total"))  # expect: profiler.no_tables, profiler.time_keys
print(prof.events()[0].cuda_time_total)  # expect: profiler.no_tables, profiler.time_members
with torch.autograd.profiler.profile(use_cuda=True):  # expect: profiler.use_cuda
    pass
with torch.autograd.profiler.emit_nvtx():  # expect: profiler.emit_nvtx
    pass
OTHERS = {"xpu": torch.profiler.ProfilerActivity.XPU}  # expect: profiler.other_device
