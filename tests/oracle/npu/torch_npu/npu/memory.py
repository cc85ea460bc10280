"""Memory of the devices: torch.accelerator counts it, under the names of torch.npu."""

import contextlib

import torch

from .utils import _get_device_index

__all__ = ["caching_allocator_alloc", "caching_allocator_delete", "set_per_process_memory_fraction", "get_per_process_memory_fraction",
           "empty_cache", "memory_stats", "memory_stats_as_nested_dict", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
           "reset_max_memory_allocated", "reset_max_memory_cached", "memory_allocated", "max_memory_allocated", "memory_reserved",
           "max_memory_reserved", "memory_cached", "max_memory_cached", "memory_snapshot", "memory_summary", "get_allocator_backend",
           "NPUPluggableAllocator", "change_current_allocator", "MemPool", "MemPoolContext", "use_mem_pool", "mem_get_info", "host_empty_cache",
           "host_memory_stats", "host_memory_stats_as_nested_dict", "reset_accumulated_host_memory_stats",
           "reset_peak_host_memory_stats"]


def _of_accelerator(function):
    def call(device=None):
        return function(_get_device_index(device, optional=True))
    return call


memory_stats = _of_accelerator(torch.accelerator.memory_stats)
memory_allocated = _of_accelerator(torch.accelerator.memory_allocated)
max_memory_allocated = _of_accelerator(torch.accelerator.max_memory_allocated)
memory_reserved = memory_cached = _of_accelerator(torch.accelerator.memory_reserved)
max_memory_reserved = max_memory_cached = _of_accelerator(torch.accelerator.max_memory_reserved)
reset_accumulated_memory_stats = _of_accelerator(torch.accelerator.reset_accumulated_memory_stats)
reset_peak_memory_stats = _of_accelerator(torch.accelerator.reset_peak_memory_stats)
reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats
mem_get_info = _of_accelerator(torch.accelerator.get_memory_info)
_fractions = {}


def memory_stats_as_nested_dict(device=None):
    nested = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        inner = nested
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return nested


def memory_summary(device=None, abbreviated=False):
    return f"NPU memory, device {_get_device_index(device, optional=True)}: {memory_allocated(device)} bytes allocated"


def empty_cache():
    pass


def set_per_process_memory_fraction(fraction, device=None):
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _fractions[_get_device_index(device, optional=True)] = fraction


def get_per_process_memory_fraction(device=None):
    return _fractions.get(_get_device_index(device, optional=True), 1.0)


def caching_allocator_alloc(size, device=None, stream=None):
    raise NotImplementedError("the emulated NPU hands out no raw memory")


def caching_allocator_delete(mem_ptr):
    raise NotImplementedError("the emulated NPU hands out no raw memory")


def get_allocator_backend():
    return "native"


def memory_snapshot():
    return []


def _snapshot(device=None):
    return {"segments": [], "device_traces": []}


def _record_memory_history(enabled="all", *args, **kwargs):
    pass


def _dump_snapshot(filename="dump_snapshot.pickle"):
    open(filename, "wb").close()


class NPUPluggableAllocator:
    def __init__(self, path_to_so_file, alloc_fn_name, free_fn_name):
        raise NotImplementedError("the emulated NPU has one allocator")


def change_current_allocator(allocator):
    raise NotImplementedError("the emulated NPU has one allocator")


class MemPool:
    def __init__(self, allocator=None):
        pass


MemPoolContext = MemPool


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    yield


def host_empty_cache():
    pass


def host_memory_stats():
    return {}


def host_memory_stats_as_nested_dict():
    return {}


def reset_accumulated_host_memory_stats():
    pass


def reset_peak_host_memory_stats():
    pass
