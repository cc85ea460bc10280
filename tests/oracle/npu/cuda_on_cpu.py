"""A machine with CUDA devices that are really the CPU, for programs before their migration.

Memory for a CUDA device is memory of the CPU, every tensor says that it lies on a CUDA device, and torch.cuda has what training
scripts ask of it. Mixed precision has the lists of CUDA, nccl is gloo.
"""

import contextlib
import functools
import os
import re
import time
import types
import warnings

import torch
import torch.distributed as dist
from torch.overrides import TorchFunctionMode

current = 0
DEVICE_NAME = re.compile(r"cuda(:\d+)?")


def count():
    return int(os.environ["EMULATED_NPU_COUNT"])


def on_cpu(value):
    """A device of CUDA, by name or as object, becomes the CPU; other values stay."""
    if isinstance(value, torch.device) and value.type == "cuda" or isinstance(value, str) and DEVICE_NAME.fullmatch(value):
        return torch.device("cpu")
    return value


def device_of(tensor):
    device = torch._C.TensorBase.device.__get__(tensor)
    return torch.device("cuda", current) if device.type == "cpu" else device


MEMBERS_OF_TENSOR = {
    "device": property(device_of), "is_cuda": property(lambda tensor: True), "is_cpu": property(lambda tensor: False),
    "get_device": lambda tensor: current, "cuda": lambda tensor, *_, **__: tensor.to("cuda"), "pin_memory": lambda tensor, *_, **__: tensor,
    "is_pinned": lambda tensor, *_: True, "record_stream": lambda tensor, stream: None,
}


class Moves(TorchFunctionMode):
    """torch.device(1) and tensor.to(1) speak of the accelerator, which torch would look for in vain."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.device and args and type(args[0]) is int:
            args = ("cuda", *args)
        elif function is torch.Tensor.to and len(args) > 1 and type(args[1]) is int:
            args = (args[0], "cuda", *args[2:])
        result = function(*args, **(kwargs or {}))
        # What comes back from a device is a copy.
        return result.clone() if function in (torch.Tensor.cpu, torch.Tensor.to) and result is args[0] else result


class Stream:
    """Work is done at once."""

    def __init__(self, device=None, priority=0, **_):
        self.device, self.cuda_stream, self.stream_id = torch.device("cuda", current), 0, 0

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def query(self):
        return True

    def wait_stream(self, stream):
        pass

    wait_event = wait_stream

    def synchronize(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Event:
    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        pass

    def record(self, stream=None):
        self.time = time.perf_counter()

    def elapsed_time(self, end):
        return (end.time - self.time) * 1000.0

    def query(self):
        return True

    def wait(self, stream=None):
        pass

    def synchronize(self):
        pass


class Generator(torch.Generator):
    def __new__(cls, device="cpu"):
        return super().__new__(cls, on_cpu(device))


@contextlib.contextmanager
def with_device(device=None):
    before = current
    set_device(device)
    try:
        yield
    finally:
        set_device(before)


def index_of(device):
    if device is None:
        return current
    index = device if isinstance(device, int) else torch.device(device).index
    return current if index is None or index < 0 else index


def set_device(device):
    global current
    current = index_of(device)


def nothing(*args, **kwargs):
    pass


def zero(*args, **kwargs):
    return 0


NAMES = {
    "is_available": lambda: True, "is_initialized": lambda: True, "init": nothing, "_lazy_init": nothing, "is_built": lambda: True,
    "device_count": count, "current_device": lambda: current, "set_device": set_device, "device": with_device,
    "device_of": lambda tensor: contextlib.nullcontext(), "synchronize": nothing, "empty_cache": nothing, "ipc_collect": nothing,
    "get_device_name": lambda device=None: "NVIDIA A100-SXM4-80GB", "get_device_capability": lambda device=None: (8, 0),
    "get_device_properties": lambda device=None: types.SimpleNamespace(name="NVIDIA A100-SXM4-80GB", total_memory=80 << 30, major=8,
                                                                       minor=0, multi_processor_count=108),
    "is_bf16_supported": lambda including_emulation=True: True, "is_current_stream_capturing": lambda: False,
    "mem_get_info": lambda device=None: (80 << 30, 80 << 30), "memory_allocated": zero, "max_memory_allocated": zero,
    "memory_reserved": zero, "max_memory_reserved": zero, "reset_peak_memory_stats": nothing, "memory_stats": lambda device=None: {},
    "memory_summary": lambda device=None, abbreviated=False: "", "utilization": zero,
    "manual_seed": torch.default_generator.manual_seed, "manual_seed_all": torch.default_generator.manual_seed,
    "seed": torch.default_generator.seed, "seed_all": torch.default_generator.seed, "initial_seed": torch.initial_seed, "get_rng_state": lambda device=None: torch.get_rng_state(),
    "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
    "get_rng_state_all": lambda: [torch.get_rng_state()] * count(), "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    "Stream": Stream, "Event": Event, "stream": lambda stream: stream or contextlib.nullcontext(), "set_stream": nothing,
    "current_stream": Stream, "default_stream": Stream,
    "FloatTensor": torch.FloatTensor, "LongTensor": torch.LongTensor, "HalfTensor": torch.HalfTensor,
    "ByteTensor": torch.ByteTensor, "IntTensor": torch.IntTensor,
}


def replace_arguments(owner, name, change):
    """Calls of owner.name get the arguments that `change` makes of theirs."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def call(*args, **kwargs):
        args, kwargs = change(args, dict(kwargs))
        return original(*args, **kwargs)

    setattr(owner, name, call)
    return call


def cpu_arguments(args, kwargs):
    return tuple(map(on_cpu, args)), {name: on_cpu(value) for name, value in kwargs.items()}


def gloo_arguments(args, kwargs):
    def backend(value):
        return "gloo" if isinstance(value, str) and "nccl" in value else value

    kwargs.pop("device_id", None)
    return tuple(map(backend, args)), {name: backend(value) for name, value in kwargs.items()}


def load_arguments(args, kwargs):
    return (args[0], *map(on_cpu, args[1:])), {name: on_cpu(value) for name, value in kwargs.items()}


def for_autocast(args, kwargs):
    """"cuda" is the CPU, with the types of CUDA."""
    device = kwargs.pop("device_type", None) or args[1]
    given = dict(zip(("dtype", "enabled", "cache_enabled"), args[2:]), **kwargs)
    if given.get("dtype") is None and device == "cuda":
        given["dtype"] = torch.float16
    return (args[0], "cpu" if device == "cuda" else device), given


def name_arguments(args, kwargs):
    """Of functions that take the name of a device type, which is that of CUDA when it is not given."""
    return tuple("cpu" if value == "cuda" else value for value in args or ("cuda",)), kwargs


class DataParallel(torch.nn.Module):
    """All devices are one, so there is nothing to spread."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


class Profile(contextlib.nullcontext):
    """Records nothing."""

    def __init__(self, **_):
        super().__init__(self)

    start = stop = step = nothing


def install(library):
    """Turns this process into the machine; `library` is the compiled one of torch_npu, which has the part in C++ of this, too."""
    torch.ops.load_library(library)
    torch.ops.npu_emulator.cuda_on_cpu()
    for module in (torch.cuda, torch.cuda.memory, torch.cuda.random, torch.cuda.streams):
        for name, value in NAMES.items():
            if module is torch.cuda or hasattr(module, name):
                setattr(module, name, value)
    for name, value in MEMBERS_OF_TENSOR.items():
        setattr(torch.Tensor, name, value)
    for storage in (torch.UntypedStorage, torch.TypedStorage):
        storage.cuda = lambda self, *_, **__: self
        replace_arguments(storage, "to", cpu_arguments)
    torch.cuda.nccl.version = lambda: (2, 21, 5)
    torch.profiler.profile = Profile
    # How DataLoader's workers make memory to share.
    shared = torch.UntypedStorage._new_shared
    torch.UntypedStorage._new_shared = classmethod(lambda cls, size, *, device="cpu": shared(size, device=on_cpu(device)))
    for name in ("range_push", "range_pop", "mark"):
        setattr(torch.cuda.nvtx, name, nothing)
    torch.Generator = Generator
    torch.nn.DataParallel = torch.nn.parallel.DataParallel = DataParallel
    replace_arguments(torch, "load", load_arguments)
    torch.serialization.load = torch.load
    replace_arguments(torch, "set_default_device", cpu_arguments)
    replace_arguments(torch.amp.autocast_mode.autocast, "__init__", for_autocast)
    for name in ("is_autocast_enabled", "get_autocast_dtype"):
        replace_arguments(torch, name, name_arguments)
    torch.get_autocast_gpu_dtype = lambda: torch.get_autocast_dtype("cpu")
    for name in ("init_process_group", "new_group"):
        setattr(dist.distributed_c10d, name, replace_arguments(dist, name, gloo_arguments))
    # The process ends right after it. Taking gloo's threads down while one lets go of a tensor of Python can wait for ever.
    dist.destroy_process_group = dist.distributed_c10d.destroy_process_group = nothing
    dist.get_backend = lambda group=None: "nccl"
    dist.is_nccl_available = lambda: True
    torch.backends.cuda.enable_flash_sdp(False)  # Attention by the formula, as on the emulated NPU.
    warnings.filterwarnings("ignore", message=".*pin_memory.*")
    Moves().__enter__()
