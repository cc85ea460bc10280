import torch_npu
from torch.npu.amp import autocast, GradScaler
scaler_cls = GradScaler
scaler = scaler_cls(enabled=True)
ctx = {"on": autocast}
with ctx["on"]():
    pass
with autocast():
    pass
