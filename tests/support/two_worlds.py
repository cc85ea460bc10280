"""A tiny stand-in for torch and torch_npu, to run small programs before ("gpu") and after ("npu") a migration.

    two_worlds.py gpu|npu FILE

The world decides which device types exist: what the other world has is not there, as on a real machine.
"""

import contextlib
import importlib.abc
import importlib.machinery
import os
import runpy
import sys
import types

WORLD = sys.argv[1]
KIND = {"gpu": "cuda", "npu": "npu"}[WORLD]


def module(name, **members):
    """A module that `import` finds, also as an attribute of its package."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    made.__path__ = []
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, made)
    return made


class device:
    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            type, index = KIND, type
        if ":" in type:
            type, index = type.split(":")
        if type not in ("cpu", KIND):
            raise RuntimeError(f"there is no device {type!r} in this world")
        self.type, self.index = type, None if index is None else int(index)

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    __repr__ = __str__


class dtype(str):
    pass


class Tensor:
    def __init__(self, where="cpu"):
        self.device = device(where)

    def to(self, *args, **kwargs):
        if len(args) > 3:
            raise TypeError("to(): too many arguments")
        if args and isinstance(args[0], (str, int, device)) and not isinstance(args[0], (bool, dtype)):
            if "device" in kwargs:
                raise TypeError("to() got multiple values for argument 'device'")
            return Tensor(device(args[0]))
        if args and not isinstance(args[0], (dtype, Tensor)):
            raise TypeError(f"to() received an invalid combination of arguments: {type(args[0]).__name__}")
        return self if kwargs.get("device") is None else Tensor(device(kwargs["device"]))

    def type(self, wanted=None):
        return f"torch.{'' if self.device.type == 'cpu' else self.device.type + '.'}FloatTensor"

    def item(self):
        return 1.0

    def __format__(self, spec):
        return format(1.0, spec)


setattr(Tensor, KIND, lambda self, *args, **kwargs: Tensor(f"{KIND}:0"))
setattr(Tensor, f"is_{KIND}", property(lambda self: self.device.type == KIND))


class Module:
    def __init__(self, *args, **kwargs):
        self.training = True

    def modules(self):
        return iter([self])

    def parameters(self):
        return iter(())

    def to(self, *args, **kwargs):
        Tensor().to(*args, **kwargs)
        return self

    def half(self):
        return self

    def train(self, mode=True):
        return self

    def state_dict(self):
        return {}

    def forward(self, *args, **kwargs):
        return args[0] if args else None

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


setattr(Module, KIND, lambda self, *args, **kwargs: self)


class Linear(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.weight = Tensor()


class DataParallel(Module):
    def __init__(self, inner, device_ids=None, output_device=None):
        super().__init__()
        self.module = inner


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0):
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None):
            raise ValueError("batch_sampler excludes batch_size, shuffle and sampler")

    def __iter__(self):
        return iter(())


def device_api(name):
    """torch.cuda, or torch_npu.npu."""
    made = module(name, is_available=lambda: True, empty_cache=lambda: None, device_count=lambda: 1, set_device=lambda index: None,
                  current_device=lambda: 0, manual_seed_all=lambda seed: None, manual_seed=lambda seed: None,
                  ipc_collect=lambda: None, synchronize=lambda *args: None, get_device_properties=lambda index=0: None,
                  FloatTensor=type("FloatTensor", (), {}), Stream=type("Stream", (), {}))
    module(f"{name}.amp", autocast=contextlib.nullcontext, GradScaler=type("GradScaler", (), {"__init__": lambda self, **kwargs: None}))
    return made


class NpuFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """torch.npu is there only once torch_npu has been imported."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name == "torch_npu" else None

    def create_module(self, spec):
        return None

    def exec_module(self, made):
        sys.modules["torch_npu"] = made
        made.npu = device_api("torch_npu.npu")
        for name in ("", ".amp"):
            sys.modules[f"torch.npu{name}"] = sys.modules[f"torch_npu.npu{name}"]
        torch.npu = made.npu


torch = module("torch", device=device, Tensor=Tensor, float16=dtype("f16"), save=lambda *args, **kwargs: None,
               load=lambda *args, **kwargs: None, ones=lambda *args, **kwargs: Tensor(kwargs.get("device") or "cpu"),
               zeros=lambda *args, **kwargs: Tensor(kwargs.get("device") or "cpu"))
if WORLD == "gpu":
    device_api("torch.cuda")
else:
    sys.meta_path.insert(0, NpuFinder())
module("torch.nn", Module=Module, Linear=Linear, DataParallel=DataParallel, Sequential=type("Sequential", (Linear,), {}))
module("torch.nn.parallel", DistributedDataParallel=DataParallel)
module("torch.distributed", init_process_group=lambda *args, **kwargs: None)
module("torch.utils")
module("torch.utils.data", DataLoader=DataLoader)

program = os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.dirname(program))
sys.argv = [program]
runpy.run_path(program, run_name="__main__")
