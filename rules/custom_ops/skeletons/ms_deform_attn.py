import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = ("(Tensor value, Tensor spatial_shapes, Tensor level_start_index, Tensor sampling_locations, "
          "Tensor attention_weights, int im2col_step=64) -> Tensor")


def ms_deform_attn(value: Tensor, spatial_shapes: Tensor, level_start_index: Tensor, sampling_locations: Tensor,
                   attention_weights: Tensor, im2col_step: int = 64) -> Tensor:
    """Multi-scale deformable attention: (N, S, M, D) sampled at (N, Q, M, L, P, 2) in [0, 1] gives (N, Q, M * D).

    im2col_step is taken and not used: it only divided the work of the kernel.
    """
    batch, _, heads, channels = value.shape
    queries = sampling_locations.shape[1]
    sampled = []
    for level, (height, width) in enumerate(spatial_shapes.tolist()):
        start = int(level_start_index[level])
        image = value[:, start:start + height * width].permute(0, 2, 3, 1)
        image = image.reshape(batch * heads, channels, height, width)
        grid = 2 * sampling_locations[:, :, :, level].transpose(1, 2).flatten(0, 1) - 1
        sampled.append(functional.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False))
    weights = attention_weights.transpose(1, 2).reshape(batch * heads, 1, queries, -1)
    out = (torch.cat(sampled, dim=-1) * weights).sum(-1)
    return out.view(batch, heads * channels, queries).transpose(1, 2).contiguous()


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    value = torch.randn(2, 4 * 3 + 2 * 2, 2, 3, dtype=torch.float64, requires_grad=True)
    locations = (0.1 + 0.8 * torch.rand(2, 5, 2, 2, 3, 2, dtype=torch.float64)).requires_grad_()
    weights = torch.rand(2, 5, 2, 2, 3, dtype=torch.float64, requires_grad=True)
    return [(value, torch.tensor([[4, 3], [2, 2]]), torch.tensor([0, 12]), locations, weights)]
