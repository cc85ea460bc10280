import torch
import torch_npu
torch.cuda.nvtx.range_push("step")
torch.cuda.nvtx.range_pop()
with torch.npu.mstx.mstx_range("a"):
    pass
