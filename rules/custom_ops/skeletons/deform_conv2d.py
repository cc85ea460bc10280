from typing import List, Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = ("(Tensor input, Tensor offset, Tensor weight, int[] stride, int[] padding, int[] dilation, "
          "Tensor? bias=None, Tensor? mask=None) -> Tensor")


def deform_conv2d(input: Tensor, offset: Tensor, weight: Tensor, stride: List[int], padding: List[int],
                  dilation: List[int], bias: Optional[Tensor] = None, mask: Optional[Tensor] = None) -> Tensor:
    """Deformable convolution, with a mask version 2. Offsets are pairs (y, x) for each group and point of the kernel.

    The groups of channels follow from the shape of the weight, those of offsets from the shape of the offsets.
    """
    batch, channels, height, width = input.shape
    filters, channels_of_group, kernel_height, kernel_width = weight.shape
    points = kernel_height * kernel_width
    offset_groups = offset.shape[1] // (2 * points)
    out_height, out_width = offset.shape[2:]
    shifts = offset.view(batch, offset_groups, points, 2, out_height, out_width)
    rows = torch.arange(out_height, device=input.device, dtype=input.dtype) * stride[0] - padding[0]
    columns = torch.arange(out_width, device=input.device, dtype=input.dtype) * stride[1] - padding[1]
    image = input.reshape(batch * offset_groups, channels // offset_groups, height, width)
    sampled = []
    for point in range(points):
        y = rows[:, None] + point // kernel_width * dilation[0] + shifts[:, :, point, 0]
        x = columns + point % kernel_width * dilation[1] + shifts[:, :, point, 1]
        grid = torch.stack(((2 * x + 1) / width - 1, (2 * y + 1) / height - 1), dim=-1).flatten(0, 1)
        values = functional.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        values = values.view(batch, offset_groups, -1, out_height, out_width)
        if mask is not None:
            values = values * mask.view(batch, offset_groups, points, 1, out_height, out_width)[:, :, point]
        sampled.append(values.flatten(1, 2))
    groups = channels // channels_of_group
    patches = torch.stack(sampled, dim=2).view(batch, groups, channels_of_group * points, out_height * out_width)
    kernels = weight.view(groups, filters // groups, channels_of_group * points)
    out = torch.einsum("gfk,ngkp->ngfp", kernels, patches).reshape(batch, filters, out_height, out_width)
    return out if bias is None else out + bias.view(1, -1, 1, 1)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    image = torch.randn(1, 4, 5, 4, dtype=torch.float64, requires_grad=True)
    offset = (0.2 + 0.5 * torch.rand(1, 2 * 2 * 4, 4, 3, dtype=torch.float64)).requires_grad_()
    weight = torch.randn(2, 2, 2, 2, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(1, 2 * 4, 4, 3, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(2, dtype=torch.float64, requires_grad=True)
    return [(image, offset, weight, [1, 1], [0, 0], [1, 1]),
            (image, offset[:, :, :3, :2], weight, [2, 2], [1, 0], [2, 1], bias, mask[:, :, :3, :2])]
