import os

import torch
import torch.cuda.amp as amp  # expect: amp.module
from torch import cuda  # expect: cuda.module
from torch.cuda import Stream, synchronize as wait  # expect: cuda.renamed, cuda.renamed
from torch.cuda.amp import GradScaler, autocast  # expect: amp.renamed, amp.renamed
from torch.profiler import ProfilerActivity, profile  # expect: profiler.renamed, profiler.renamed

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # expect: env.renamed
accelerator = torch.cuda  # expect: cuda.module
accelerator.empty_cache()  # expect: cuda.renamed
graph = torch.cuda.CUDAGraph()  # expect: cuda.renamed
scaler = amp.GradScaler()  # expect: amp.renamed
kinds = [ProfilerActivity.CPU, ProfilerActivity.CUDA]  # expect: profiler.renamed, profiler.renamed
get = getattr(torch, "cuda")  # expect: cuda.module

with profile(activities=kinds), autocast(), torch.cuda.stream(Stream()):  # expect: profiler.renamed, amp.renamed, cuda.renamed, cuda.renamed
    try:
        wait()  # expect: cuda.renamed
        cuda.nvtx.range_push("step")  # expect: cuda.renamed
    except torch.cuda.OutOfMemoryError:  # expect: cuda.renamed
        raise
    except RuntimeError as error:
        if "CUDA out of memory" not in str(error):  # expect: cuda.message
            raise
GradScaler()  # expect: amp.renamed
