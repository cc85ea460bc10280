"""The accelerator of this machine under the names of torch.cuda: the NPU where PyTorch has one, else CUDA.

Put here by `migrator --style portable`; there is nothing to configure. Names that are not below are those of torch.cuda,
taken from torch.npu on an NPU: any_device.synchronize(), any_device.Stream(), any_device.amp.autocast().
"""
# migrator: ignore-file

import importlib.util
import os
import re
import sys
import types

import torch

_on_npu = importlib.util.find_spec("torch_npu") is not None
if _on_npu:
    # Programs and users go on choosing devices with the variable that they know.
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        os.environ.setdefault("ASCEND_RT_VISIBLE_DEVICES", os.environ["CUDA_VISIBLE_DEVICES"])
    import torch_npu

    # PyTorch 2.6 and later say which accelerator they use; before, an installed torch_npu is the answer.
    if hasattr(torch, "accelerator"):
        _on_npu = torch.accelerator.current_accelerator().type == "npu"

device_type = "npu" if _on_npu else "cuda"
dist_backend = "hccl" if _on_npu else "nccl"

_api = torch.npu if _on_npu else torch.cuda
_NPU_NAMES = {"CUDAGraph": "NPUGraph", "CUDAPluggableAllocator": "NPUPluggableAllocator"}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "OutOfMemoryError":
        return torch.OutOfMemoryError if hasattr(torch, name) else torch.cuda.OutOfMemoryError
    if name == "profiler_activity":
        return getattr(profiler.ProfilerActivity, device_type.upper())
    return getattr(_api, _NPU_NAMES.get(name, name) if _on_npu else name)


def named(name):
    """A device or a distributed back end that a setting names for either machine, as it is called on this one."""
    if not isinstance(name, str):
        return name
    for cuda, npu in (("cuda", "npu"), ("nccl", "hccl")):
        name = re.sub(rf"\b({cuda}|{npu})\b", npu if _on_npu else cuda, name)
    return name


def device_of(device=None):
    """What tensor.cuda(device) means, as a torch.device: a number, a device, its name, or None for the current one."""
    if device is None:
        return torch.device(device_type)
    return torch.device(device_type, device) if isinstance(device, int) else torch.device(named(device))


def is_on_device(value):
    """value.is_cuda of tensors, storages and packed sequences."""
    return getattr(value, "is_" + device_type)


def stream_handle(stream):
    """stream.cuda_stream: the raw handle."""
    return getattr(stream, device_type + "_stream")


def is_dist_backend_available():
    """torch.distributed.is_nccl_available()"""
    return getattr(torch.distributed, f"is_{dist_backend}_available")()


def get_autocast_dtype():
    """torch.get_autocast_gpu_dtype()"""
    return torch.npu.get_autocast_dtype() if _on_npu else torch.get_autocast_gpu_dtype()


def set_autocast_dtype(dtype):
    """torch.set_autocast_gpu_dtype(dtype)"""
    return torch.npu.set_autocast_dtype(dtype) if _on_npu else torch.set_autocast_gpu_dtype(dtype)


def _marks():
    """torch.cuda.nvtx, or the same marks for MindStudio."""
    if not _on_npu:
        return torch.cuda.nvtx
    module = types.ModuleType(__name__ + ".nvtx")
    for name in ("mark", "range_push", "range_pop", "range_start", "range_end"):
        setattr(module, name, getattr(torch.npu.mstx, name))
    module.range = torch.npu.mstx.mstx_range
    return module


# Modules, so that `from any_device.amp import autocast` works. What this version of torch does not have is left out.
_MODULES = {
    "amp": lambda: _api.amp,
    "nvtx": _marks,
    "profiler": lambda: torch_npu.profiler if _on_npu else torch.profiler,
    **{name: lambda name=name: getattr(_api, name) for name in ("random", "memory", "streams", "graphs")},
}
for _name, _module in _MODULES.items():
    try:
        globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _module()
    except AttributeError:
        pass
