import torch
import torch_npu
kind = "npu"
mod = getattr(torch, kind)
mod.empty_cache()
getattr(torch, kind).set_device(0)
torch.__dict__["npu"].empty_cache()
from importlib import import_module
c = import_module(f"torch.{kind}")
