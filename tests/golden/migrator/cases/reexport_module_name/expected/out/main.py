from pkg.compat import torch
import torch_npu
if torch.npu.is_available():
    torch.npu.empty_cache()
s = torch.npu.current_stream()
