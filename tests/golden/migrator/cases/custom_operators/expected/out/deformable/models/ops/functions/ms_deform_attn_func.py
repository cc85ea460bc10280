import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
import MultiScaleDeformableAttention as MSDA


class MSDeformAttnFunction(Function):
    @staticmethod
    def forward(ctx, value, value_spatial_shapes, im2col_step):
        ctx.im2col_step = im2col_step
        output = MSDA.ms_deform_attn_forward(
            value, value_spatial_shapes, ctx.im2col_step)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return MSDA.ms_deform_attn_backward(grad_output)
