import torch
import torch_npu
from torch.npu.amp import custom_fwd, custom_bwd

class Fn(torch.autograd.Function):
    dev = 'npu'
    stream_cls = torch.npu.Stream

    @staticmethod
    @torch.npu.amp.custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        return x

    @staticmethod
    @custom_bwd
    def backward(ctx, g):
        return g

class MyScaler(torch.npu.amp.GradScaler):
    pass

@torch.npu.amp.autocast()
def f(s: torch.npu.Stream, t: "torch.cuda.Event" = None):
    pass
