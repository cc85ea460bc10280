from typing import Tuple

import torch
from torch import Tensor

SCHEMA = "(Tensor boxes1, Tensor boxes2, int mode_flag=0, bool aligned=False) -> Tensor"


def box_iou_rotated(boxes1: Tensor, boxes2: Tensor, mode_flag: int = 0, aligned: bool = False) -> Tensor:
    """Overlaps of boxes (x, y, width, height, angle in radians): each of (N, 5) with each of (M, 5), or pairs if aligned.

    mode_flag 0: the common area by that of both; 1: by that of the first.
    """
    first, second = (boxes1, boxes2) if aligned else (boxes1[:, None], boxes2[None])
    first, second = torch.broadcast_tensors(first, second)
    # Around the middle of both, so that numbers stay small.
    middle = (first[..., :2] + second[..., :2]) / 2
    a, b = _corners(first, middle), _corners(second, middle)
    crossings, cross = _crossings(a, b)
    points = torch.cat((crossings, a, b), -2)
    is_common = torch.cat((cross, _inside(a, b), _inside(b, a)), -1)
    common = _area_of_convex(points, is_common)
    areas = first[..., 2] * first[..., 3], second[..., 2] * second[..., 3]
    return common / (areas[0] if mode_flag == 1 else areas[0] + areas[1] - common)


def _corners(boxes: Tensor, middle: Tensor) -> Tensor:
    signs = torch.tensor([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]], dtype=boxes.dtype, device=boxes.device)
    x, y = (signs * boxes[..., None, 2:4] / 2).unbind(-1)
    cosine, sine = boxes[..., 4:].cos(), boxes[..., 4:].sin()
    return torch.stack((x * cosine - y * sine, x * sine + y * cosine), -1) + (boxes[..., :2] - middle)[..., None, :]


def _cross(a: Tensor, b: Tensor) -> Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _crossings(a: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]:
    """Where the 4 x 4 sides meet, and whether they do."""
    along = (a.roll(-1, -2) - a)[..., :, None, :]
    other = (b.roll(-1, -2) - b)[..., None, :, :]
    between = b[..., None, :, :] - a[..., :, None, :]
    turn = _cross(along, other)
    is_parallel = turn.abs() < 1e-14
    turn = turn.masked_fill(is_parallel, 1.0)
    at, of_other = _cross(between, other) / turn, _cross(between, along) / turn
    meet = ~is_parallel & (at >= 0) & (at <= 1) & (of_other >= 0) & (of_other <= 1)
    points = a[..., :, None, :] + at[..., None] * along
    return points.flatten(-3, -2), meet.flatten(-2)


def _inside(points: Tensor, box: Tensor) -> Tensor:
    sides = (box.roll(-1, -2) - box)[..., None, :, :]
    turns = _cross(sides, points[..., :, None, :] - box[..., None, :, :])
    slack = 1e-9 * sides.square().sum(-1)
    return (turns >= -slack).all(-1)


def _area_of_convex(points: Tensor, chosen: Tensor) -> Tensor:
    """The area of the convex hull of those that are chosen, which all lie on it."""
    count = chosen.sum(-1, keepdim=True).clamp(min=1)
    points = points - (points * chosen[..., None]).sum(-2, keepdim=True) / count[..., None]
    angles = torch.atan2(points[..., 1], points[..., 0]).detach().masked_fill(~chosen, 4.0)
    order = angles.sort(-1).indices
    points = points.gather(-2, order[..., None].expand(points.shape))
    # The others lie behind: each is the first one, and so adds nothing.
    used = torch.arange(points.shape[-2], device=points.device) < chosen.sum(-1, keepdim=True)
    points = torch.where(used[..., None], points, points[..., :1, :])
    area = _cross(points, points.roll(-1, -2)).sum(-1).abs() / 2
    return area.masked_fill(chosen.sum(-1) < 3, 0.0)


def examples():
    """None: projects match boxes with it, and have no gradient of it."""
    return []
