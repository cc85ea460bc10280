import types
from torch import nn
import torch_npu
def import_module(path):
    import importlib
    return getattr(importlib.import_module(path[0]), path[1])
def build_module(spec, *args, **kwargs):
    if isinstance(spec, types.FunctionType):
        return spec
    if isinstance(spec, type):
        module = spec
    else:
        module = import_module(spec)
    if isinstance(module, types.FunctionType):
        return module
    try:
        return module(*args, **kwargs)
    except Exception as e:
        raise type(e)(f"{str(e)}")
a = build_module(("torch.nn", "Linear"), 3, 3).npu()
