import torch


def pool_of(axes: int) -> type[torch.nn.MaxPool3d]:  # ok: api.unverified
    kind: type[torch.nn.MaxPool3d] | None = None  # ok: api.unverified
    return kind or torch.nn.MaxPool3d  # expect: api.unverified
