import torch
import torch_npu
torch.npu.mstx.range_push("step")
torch.npu.mstx.range_pop()
with torch.npu.mstx.mstx_range("a"):
    pass
