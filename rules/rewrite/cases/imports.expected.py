# How imports change: the statement and the uses of what it binds, together.
import torch_npu
import torch.npu as tc  # expect: cuda.module
import torch.npu.amp as amp  # expect: amp.module
from torch.npu import mstx as nvtx  # expect: cuda.module
from torch import npu  # expect: cuda.module
from torch.cuda import nccl  # expect: cuda.renamed, cuda.renamed
from torch.npu import Stream, NPUGraph as Graph
from torch.npu.amp import (  # keeps its shape
    autocast,  # expect: amp.renamed
    GradScaler as Scaler,  # expect: amp.renamed
)

if npu.is_available():  # expect: cuda.renamed
    npu.set_device(0)  # expect: cuda.renamed
    tc.empty_cache()  # expect: cuda.renamed
    tc.NPUGraph()  # expect: cuda.renamed
    nvtx.range_push("step")  # expect: cuda.renamed
    with amp.autocast(), autocast():  # expect: amp.renamed, amp.renamed
        scaler = Scaler()  # expect: amp.renamed
    nccl.version()  # expect: cuda.missing
    streams = [Stream(), Graph()]  # expect: cuda.renamed, cuda.renamed


def options(cuda=False):  # ok: cuda.module
    return {"cuda": cuda}  # ok: device.string
