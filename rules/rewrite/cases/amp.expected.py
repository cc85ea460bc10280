import torch
import torch_npu
from torch import amp as tamp, autocast

with torch.npu.amp.autocast(enabled=True):  # expect: amp.renamed
    pass
with tamp.autocast("npu"), autocast(device_type="npu"):  # expect: device.string, device.string
    pass
scaler = torch.amp.GradScaler("npu")  # expect: device.string
dtype = torch.npu.get_autocast_dtype()  # expect: amp.gpu_dtype
active = torch.is_autocast_enabled("npu")  # expect: amp.without_device
plain = torch.amp.GradScaler(device="npu")  # expect: amp.scaler_device
slow = torch.amp.GradScaler(init_scale=1024.0, device="npu")  # expect: amp.scaler_device
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


from torch.npu.amp.autocast_mode import autocast as cuda_autocast  # expect: amp.renamed
from torch.npu.amp.grad_scaler import GradScaler  # expect: amp.renamed, amp.renamed
from torch.amp.grad_scaler import OptState


def step(enabled):
    with cuda_autocast(enabled=enabled):  # expect: amp.renamed
        scaler = GradScaler(65536.0, 2.0, 0.5, 2000, enabled=enabled)  # expect: amp.scaler_position, amp.renamed
    torch.npu.amp.GradScaler(65536.0, enabled=enabled)  # expect: amp.renamed
    return scaler, OptState.READY  # expect: amp.renamed
