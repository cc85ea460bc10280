from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import torch

def free():
    import torch
    import torch_npu
    torch.npu.empty_cache()

free()
