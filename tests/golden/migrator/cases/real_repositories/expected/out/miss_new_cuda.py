# .cuda() on the result of a project class with __new__, and of a project factory: silent
import types
import torch
import torch_npu
from torch import nn

class Norm:
    def __new__(cls, size):
        return nn.LayerNorm(size)

def build(spec, *args):
    if isinstance(spec, types.FunctionType):
        return spec
    if isinstance(spec, type):
        module = spec
    else:
        module = getattr(torch.nn, spec)
    return module(*args)

class Helper:
    def _read(self):
        from other import _tensor
        return _tensor
    def test(self):
        t = self._read()
        assert t.is_cuda

a = Norm(3).npu()
b = build(nn.Linear, 3, 3).npu()
c = build("Linear", 3, 3)
c.npu()
