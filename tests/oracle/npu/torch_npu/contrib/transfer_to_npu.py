"""Redirects CUDA to the NPU while a program runs: what the documentation and the tests of the real one say it does, and no more.

torch.device is not among it: a device that the program makes of "cuda" stays one, until torch gets it.
"""

import functools
import sys

import torch
import torch.distributed as dist
import torch.nn as nn

import torch_npu

FACTORIES = (
    "tensor", "as_tensor", "asarray", "scalar_tensor", "frombuffer", "from_file", "empty", "empty_strided", "empty_like", "zeros",
    "zeros_like", "ones", "ones_like", "full", "full_like", "eye", "arange", "range", "linspace", "logspace", "rand", "rand_like",
    "randn", "randn_like", "randint", "randint_like", "randperm", "normal", "tril_indices", "triu_indices", "bartlett_window",
    "blackman_window", "hamming_window", "hann_window", "kaiser_window", "sparse_coo_tensor", "sparse_csr_tensor",
    "sparse_compressed_tensor", "load", "set_default_device", "get_device_module",
)
NEW = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros")
# (module, name) pairs of torch.cuda that are the NPU's from now on.
REDIRECTED = set()


def moved(value):
    """A device or text of CUDA becomes one of the NPU; mappings and lists by their parts."""
    if isinstance(value, torch.device):
        return torch.device("npu", value.index) if value.type == "cuda" else value
    if isinstance(value, str):
        return value.replace("cuda", "npu")
    if isinstance(value, dict):
        return {moved(key): moved(part) for key, part in value.items()}
    return value


KEYWORDS = ("device", "device_type", "map_location", "device_id")


def redirected(function, numbers=False, more=lambda value: value):
    """`function` with CUDA in its arguments moved; `numbers` alone are devices, too."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        args = [more(moved(value)) for value in args]
        if numbers:
            args = [f"npu:{value}" if type(value) is int else value for value in args]
        for name in kwargs:
            if name in KEYWORDS:
                value = kwargs[name]
                kwargs[name] = f"npu:{value}" if type(value) is int else moved(value)
            kwargs[name] = more(kwargs[name])
        return function(*args, **kwargs)

    return call


def redirect(owner, *names, **options):
    for name in names:
        if hasattr(owner, name):
            setattr(owner, name, redirected(getattr(owner, name), **options))


def hccl(value):
    return value.replace("nccl", "hccl").replace("cuda", "npu") if isinstance(value, str) else value


def take_names(target, source):
    """The public names of `source` under those of torch.cuda; functions take devices of CUDA."""
    for name in getattr(source, "__all__", None) or [name for name in vars(source) if not name.startswith("_")]:
        value = getattr(source, name)
        setattr(target, name, redirected(value) if callable(value) and not isinstance(value, type) else value)
        REDIRECTED.add((target.__name__, name))


def redirect_torch_cuda():
    npu = torch_npu.npu
    for part in ("utils", "memory", "random", "streams", "tensor", "graphs"):
        take_names(torch.cuda, getattr(npu, part))
    for part in ("memory", "random", "streams"):
        take_names(getattr(torch.cuda, part), getattr(npu, part))
    for name, value in {"init": npu.init, "_lazy_init": npu._lazy_init, "is_initialized": npu.is_initialized,
                        "default_generators": npu.default_generators, "CUDAGraph": npu.NPUGraph, "DoubleTensor": npu.FloatTensor,
                        "amp": torch.cuda.amp, "random": torch.cuda.random, "memory": torch.cuda.memory}.items():
        setattr(torch.cuda, name, value)
        REDIRECTED.add((torch.cuda.__name__, name))
    for part, source in (("amp", npu.amp), ("amp.autocast_mode", npu.amp.autocast_mode), ("amp.grad_scaler", npu.amp.grad_scaler)):
        target = sys.modules[f"torch.cuda.{part}"]
        for name in ("autocast", "custom_fwd", "custom_bwd", "GradScaler"):
            if hasattr(target, name) and hasattr(source, name):
                setattr(target, name, getattr(source, name))
                REDIRECTED.add((target.__name__, name))
    # The one class of both names: whatever takes a device through it, such as a stream, takes those of CUDA now.
    redirect(npu.device, "__init__")


def redirect_torch():
    redirect(torch, *FACTORIES)
    redirect(torch.Tensor, *NEW, "pin_memory")
    redirect(torch.Tensor, "to", numbers=True)
    torch.Tensor.cuda, torch.Tensor.is_cuda = torch.Tensor.npu, torch.Tensor.is_npu
    redirect(nn.Module, "to", "to_empty", numbers=True)
    nn.Module.cuda = nn.Module.npu
    redirect(torch.Tensor, "cuda")
    redirect(nn.Module, "cuda")
    redirect(torch.amp.autocast_mode.autocast, "__init__")
    torch.serialization.load = torch.load

    class Generator(torch.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, moved(device))

    torch.Generator = Generator
    redirect(torch.UntypedStorage, "__new__")
    redirect(torch.utils._device.DeviceContext, "__init__")
    torch.jit.script = lambda obj, *args, **kwargs: obj


def redirect_distributed():
    core = dist.distributed_c10d
    for name in ("init_process_group", "new_group"):
        setattr(core, name, redirected(getattr(core, name), more=hccl))
        setattr(dist, name, getattr(core, name))
    dist.is_nccl_available = dist.is_hccl_available
    dist.ProcessGroupNCCL = core.ProcessGroupNCCL = torch_npu._C._distributed_c10d.ProcessGroupHCCL
    redirect(nn.parallel.DistributedDataParallel, "__init__")
    redirect(dist.device_mesh, "init_device_mesh")
    from torch.distributed.fsdp import FullyShardedDataParallel

    redirect(FullyShardedDataParallel, "__init__")


def redirect_profiler():
    for name in ("profile", "schedule", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity"):
        setattr(torch.profiler, name, getattr(torch_npu.profiler, name))
    torch_npu.profiler.ProfilerActivity.CUDA = torch_npu.profiler.ProfilerActivity.NPU


redirect_torch_cuda()
redirect_torch()
redirect_distributed()
redirect_profiler()
