import torch
import torch_npu
from torch import amp as tamp, autocast

with torch.npu.amp.autocast(enabled=True):  # expect: amp.renamed
    pass
with tamp.autocast("npu"), autocast(device_type="npu"):  # expect: device.string, device.string
    pass
scaler = torch.amp.GradScaler("npu")  # expect: device.string
dtype = torch.npu.get_autocast_dtype()  # expect: amp.gpu_dtype
active = torch.is_autocast_enabled()  # expect: amp.without_device
same = torch.is_autocast_enabled("npu")  # expect: device.string
with torch.random.fork_rng(devices=[0], device_type="npu"):  # expect: random.fork_rng
    pass
with torch.random.fork_rng(devices=[0], device_type="npu"):  # expect: device.string
    pass


class Scale(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="npu")  # expect: device.string
    def forward(ctx, x):
        return x
