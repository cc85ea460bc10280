import torch
import lltm_cuda
import nms_cuda

class LLTM(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return lltm_cuda.forward(x)
    @staticmethod
    def backward(ctx, g):
        return lltm_cuda.backward(g)

keep = nms_cuda.forward(1, 2)
y = torch.ops.myops.warp(1)
z = torch.ops.myops.warp.default(1)
