import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = ("(Tensor x, Tensor f, int upx, int upy, int downx, int downy, int padx0, int padx1, int pady0, "
          "int pady1, bool flip=False, float gain=1.0) -> Tensor")


def upfirdn2d(x: Tensor, f: Tensor, upx: int, upy: int, downx: int, downy: int, padx0: int, padx1: int, pady0: int,
              pady1: int, flip: bool = False, gain: float = 1.0) -> Tensor:
    """Upsamples (N, C, H, W) with zeros, pads or crops, filters with f of (height, width), and takes every down-th sample.

    The filter is applied as a convolution; with flip as a correlation.
    """
    batch, channels, height, width = x.shape
    x = x.reshape(batch, channels, height, 1, width, 1)
    x = functional.pad(x, [0, upx - 1, 0, 0, 0, upy - 1]).reshape(batch, channels, height * upy, width * upx)
    x = functional.pad(x, [padx0, padx1, pady0, pady1])
    kernel = f.to(x.dtype) * gain
    kernel = kernel if flip else kernel.flip([0, 1])
    kernel = kernel[None, None].expand(channels, 1, -1, -1)
    return functional.conv2d(x, kernel, stride=[downy, downx], groups=channels)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 2, 4, 3, dtype=torch.float64, requires_grad=True)
    f = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    return [(x, f, 2, 1, 1, 2, 1, 0, 2, 1), (x, f, 1, 2, 2, 1, -1, 2, 0, 0, True, 2.0)]
