import functools
from functools import partial

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrapper(rank):
    return partial(FSDP, device_id=rank, use_orig_params=True)


def plain():
    return partial(FSDP, use_orig_params=True)


def main(model, rank, data, options):
    wrapper(rank)(model)  # ok: advice.fsdp_device
    plain()(model)  # expect: advice.fsdp_device
    functools.partial(FSDP, device_id=rank)(model)  # ok: advice.fsdp_device
    wrap = partial(FSDP, device_id=rank)
    wrap(model)  # ok: advice.fsdp_device
    twice = partial(wrap, use_orig_params=True)
    twice(model)  # ok: advice.fsdp_device
    partial(partial(FSDP, use_orig_params=True), device_id=rank)(model)  # ok: advice.fsdp_device
    partial(partial(FSDP, use_orig_params=True), forward_prefetch=True)(model)  # expect: advice.fsdp_device
    partial(FSDP, **options)(model)  # ok: advice.fsdp_device
    partial(FSDP, model, None, None, None, None, None, None)(None, None, rank)  # ok: advice.fsdp_device
    read = partial(torch.load, map_location="cpu")
    read("a.pt")  # ok: load.map_location
    partial(torch.load)("a.pt")  # expect: load.map_location
