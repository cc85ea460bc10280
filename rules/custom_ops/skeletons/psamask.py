import torch
from torch import Tensor

SCHEMA = "(int psa_type, Tensor mask, int h_mask, int w_mask) -> Tensor"


def psamask(psa_type: int, mask: Tensor, h_mask: int, w_mask: int) -> Tensor:
    """Masks (batch, h_mask * w_mask, H, W) around each point as (batch, H * W, H, W), with 0 where they do not reach.

    psa_type 0 (collect): the channels are the points that a mask reaches; 1 (distribute): the points that it belongs to.
    """
    batch, _, height, width = mask.shape
    rows = torch.arange(height, device=mask.device)
    columns = torch.arange(width, device=mask.device)
    row = (rows[:, None] - rows + (h_mask - 1) // 2)[:, None, :, None]
    column = (columns[:, None] - columns + (w_mask - 1) // 2)[None, :, None, :]
    reached = (row >= 0) & (row < h_mask) & (column >= 0) & (column < w_mask)
    channel = (row * w_mask + column).masked_fill(~reached, 0).reshape(1, height * width, height, width)
    out = mask.gather(1, channel.expand(batch, -1, -1, -1)) * reached.reshape(channel.shape)
    if psa_type == 0:
        return out
    return out.reshape(batch, height * width, height * width).transpose(1, 2).reshape(out.shape)


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    return [(kind, torch.randn(1, 15, 2, 4, dtype=torch.float64, requires_grad=True), 3, 5) for kind in (0, 1)]
