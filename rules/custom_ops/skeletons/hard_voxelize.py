from typing import List, Tuple

import torch
from torch import Tensor

SCHEMA = "(Tensor points, float[] voxel_size, float[] coors_range, int max_points, int max_voxels) -> (Tensor, Tensor, Tensor)"


def hard_voxelize(points: Tensor, voxel_size: List[float], coors_range: List[float], max_points: int,
                  max_voxels: int) -> Tuple[Tensor, Tensor, Tensor]:
    """Points (N, x y z ...) by voxel, in the order in which voxels appear: (V, max_points, ...), filled with 0.

    Beside them the voxels' z, y, x (V, 3) and how many points each has (V). What lies outside the range (low x y z, high
    x y z), behind the first max_points of a voxel, or in voxels behind the first max_voxels, is left out.
    """
    size, low, high = (points.new_tensor(values) for values in (voxel_size, coors_range[:3], coors_range[3:]))
    grid = ((high - low) / size).round().long()
    places = ((points.detach()[:, :3] - low) / size).floor().long()
    is_inside = ((places >= 0) & (places < grid)).all(-1)
    points, places = points[is_inside], places[is_inside]
    numbers = (places[:, 2] * grid[1] + places[:, 1]) * grid[0] + places[:, 0]
    known, voxel = numbers.unique(return_inverse=True)
    count = torch.arange(len(points), device=points.device)
    first = count.new_zeros(len(known)).scatter_reduce(0, voxel, count, "amin", include_self=False)
    by_first = first.argsort()
    voxel = by_first.argsort()[voxel]
    order = voxel.argsort(stable=True)
    sizes = voxel.bincount(minlength=len(known))
    place = count - (sizes.cumsum(0) - sizes)[voxel[order]]
    is_kept = (place < max_points) & (voxel[order] < max_voxels)
    order, place = order[is_kept], place[is_kept]
    voxels = points.new_zeros(min(len(known), max_voxels), max_points, points.shape[1])
    voxels = voxels.index_put((voxel[order], place), points[order])
    coordinates = places[first[by_first[:max_voxels]]].flip(-1).int()
    return voxels, coordinates, sizes[:max_voxels].clamp(max=max_points).int()


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    points = (torch.rand(9, 4, dtype=torch.float64) * 2).requires_grad_()
    return [(points, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 2.0, 2.0, 2.0], 2, 5)]
