import torch
from torch import Tensor

SCHEMA = ("(Tensor input, Tensor rois, int output_height, int output_width, float spatial_scale=1.0, "
          "int sampling_ratio=0, bool aligned=True) -> Tensor")


def _sampled(image: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """(C, H, W) at the grid of y and x by bilinear interpolation: (C, len(y), len(x)); zero a step outside."""
    height, width = image.shape[1:]
    inside = ((y >= -1) & (y <= height))[:, None] & ((x >= -1) & (x <= width))
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    top, left = y.floor().long(), x.floor().long()
    bottom, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    down, along = (y - top)[:, None], x - left
    upper = image[:, top][:, :, left] * (1 - along) + image[:, top][:, :, right] * along
    lower = image[:, bottom][:, :, left] * (1 - along) + image[:, bottom][:, :, right] * along
    return (upper * (1 - down) + lower * down) * inside


def roi_align(input: Tensor, rois: Tensor, output_height: int, output_width: int, spatial_scale: float = 1.0,
              sampling_ratio: int = 0, aligned: bool = True) -> Tensor:
    """Means of bilinear samples in the bins of regions: (N, C, H, W) and rows (image, x1, y1, x2, y2) give (K, C, h, w).

    With a sampling_ratio of 0 or less a bin has as many samples as it is pixels high and wide.
    """
    shift = 0.5 if aligned else 0.0
    pooled = []
    for roi in rois:
        x1, y1, x2, y2 = roi[1:] * spatial_scale - shift
        width, height = x2 - x1, y2 - y1
        if not aligned:
            width, height = width.clamp(min=1), height.clamp(min=1)
        rows = sampling_ratio if sampling_ratio > 0 else max(1, int(torch.ceil(height / output_height)))
        columns = sampling_ratio if sampling_ratio > 0 else max(1, int(torch.ceil(width / output_width)))
        y = y1 + (torch.arange(output_height * rows, device=rois.device, dtype=rois.dtype) + 0.5) * height / (output_height * rows)
        x = x1 + (torch.arange(output_width * columns, device=rois.device, dtype=rois.dtype) + 0.5) * width / (output_width * columns)
        samples = _sampled(input[int(roi[0])], y.to(input.dtype), x.to(input.dtype))
        pooled.append(samples.reshape(-1, output_height, rows, output_width, columns).mean((2, 4)))
    if not pooled:
        return input.new_zeros(0, input.shape[1], output_height, output_width)
    return torch.stack(pooled)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    image = torch.randn(2, 2, 6, 5, dtype=torch.float64, requires_grad=True)
    rois = torch.tensor([[0, 0.5, 1.0, 3.2, 4.4], [1, -1.0, -2.0, 7.0, 9.0], [1, 2.0, 2.0, 2.3, 2.1]], dtype=torch.float64)
    return [(image, rois, 2, 3), (image, rois, 2, 2, 0.5, 2, False)]
