import torch
import torch_npu
try:
    x = torch.ones(1)
    raise RuntimeError("x")
except torch.OutOfMemoryError:
    torch.npu.empty_cache()
except RuntimeError:
    print("other")
