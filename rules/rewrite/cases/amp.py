import torch
from torch import amp as tamp, autocast

with torch.cuda.amp.autocast(enabled=True):  # expect: amp.renamed
    pass
with tamp.autocast("cuda"), autocast(device_type="cuda"):  # expect: device.string, device.string
    pass
scaler = torch.amp.GradScaler("cuda")  # expect: device.string
dtype = torch.get_autocast_gpu_dtype()  # expect: amp.gpu_dtype
active = torch.is_autocast_enabled()  # expect: amp.without_device
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
