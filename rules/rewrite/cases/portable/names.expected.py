import os

import torch
import any_device.amp as amp  # expect: amp.module
import any_device  # expect: cuda.module
from any_device import Stream, synchronize as wait  # expect: cuda.renamed, cuda.renamed
from any_device.amp import GradScaler, autocast  # expect: amp.renamed, amp.renamed
from any_device.profiler import ProfilerActivity, profile  # expect: profiler.renamed, profiler.renamed

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # expect: env.renamed
accelerator = any_device  # expect: cuda.module
accelerator.empty_cache()  # expect: cuda.renamed
graph = any_device.CUDAGraph()  # expect: cuda.renamed
scaler = amp.GradScaler()  # expect: amp.renamed
kinds = [ProfilerActivity.CPU, any_device.profiler_activity]  # expect: profiler.renamed, profiler.renamed
get = any_device  # expect: cuda.module

with profile(activities=kinds), autocast(), any_device.stream(Stream()):  # expect: profiler.renamed, amp.renamed, cuda.renamed, cuda.renamed
    try:
        wait()  # expect: cuda.renamed
        any_device.nvtx.range_push("step")  # expect: cuda.renamed
    except any_device.OutOfMemoryError:  # expect: cuda.renamed
        raise
    except RuntimeError as error:
        if "out of memory" not in str(error):  # expect: cuda.message
            raise
GradScaler()  # expect: amp.renamed
