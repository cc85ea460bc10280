import torch
from torch import amp as tamp, autocast

with torch.cuda.amp.autocast(enabled=True):  # expect: amp.renamed
    pass
with tamp.autocast("cuda"), autocast(device_type="cuda"):  # expect: device.string, device.string
    pass
scaler = torch.amp.GradScaler("cuda")  # expect: device.string
dtype = torch.get_autocast_gpu_dtype()  # expect: amp.gpu_dtype
active = torch.is_autocast_enabled()  # expect: amp.without_device
plain = torch.amp.GradScaler()  # expect: amp.scaler_device
slow = torch.amp.GradScaler(init_scale=1024.0)  # expect: amp.scaler_device
same = torch.is_autocast_enabled("cuda")  # expect: device.string
with torch.random.fork_rng(devices=[0]):  # expect: random.fork_rng
    pass
with torch.random.fork_rng(devices=[0], device_type="cuda"):  # expect: device.string
    pass


class Scale(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")  # expect: device.string
    def forward(ctx, x):
        return x


from torch.cuda.amp.autocast_mode import autocast as cuda_autocast  # expect: amp.renamed
from torch.cuda.amp.grad_scaler import GradScaler, OptState  # expect: amp.renamed, amp.renamed


def step(enabled):
    with cuda_autocast(enabled=enabled):  # expect: amp.renamed
        scaler = GradScaler(65536.0, 2.0, 0.5, 2000, enabled)  # expect: amp.scaler_position, amp.renamed
    torch.cuda.amp.GradScaler(65536.0, enabled=enabled)  # expect: amp.renamed
    return scaler, OptState.READY  # expect: amp.renamed
