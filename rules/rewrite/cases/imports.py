# How imports change: the statement and the uses of what it binds, together.
import torch.cuda as tc  # expect: cuda.module
import torch.cuda.amp as amp  # expect: amp.module
import torch.cuda.nvtx as nvtx  # expect: cuda.module
from torch import cuda  # expect: cuda.module
from torch.cuda import Stream, nccl, CUDAGraph as Graph  # expect: cuda.renamed, cuda.renamed
from torch.cuda.amp import (  # keeps its shape
    autocast,  # expect: amp.renamed
    GradScaler as Scaler,  # expect: amp.renamed
)

if cuda.is_available():  # expect: cuda.renamed
    cuda.set_device(0)  # expect: cuda.renamed
    tc.empty_cache()  # expect: cuda.renamed
    tc.CUDAGraph()  # expect: cuda.renamed
    nvtx.range_push("step")  # expect: cuda.renamed
    with amp.autocast(), autocast():  # expect: amp.renamed, amp.renamed
        scaler = Scaler()  # expect: amp.renamed
    nccl.version()  # expect: cuda.missing
    streams = [Stream(), Graph()]  # expect: cuda.renamed, cuda.renamed


def options(cuda=False):  # ok: cuda.module
    return {"cuda": cuda}  # ok: device.string
