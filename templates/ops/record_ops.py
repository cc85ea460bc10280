"""Writes the operators that one training step runs, for `migrator ops`: on a CPU or a GPU, without an NPU.

    from record_ops import record_ops

    with record_ops("ops.txt"):
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()

Then:  migrator ops ops.txt

Each line is an ATen overload, the dtype of its first tensor, and how often it was called. What fuses operators (torch.compile, CUDA
graphs) runs none of them: leave it out of this step.
"""

from collections import Counter
from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class _Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.calls[func.name(), _first_dtype((*args, *kwargs.values()))] += 1
        return func(*args, **kwargs)


def _first_dtype(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            return str(value.dtype).removeprefix("torch.")
        if isinstance(value, (list, tuple)) and (dtype := _first_dtype(value)):
            return dtype
    return ""


@contextmanager
def record_ops(path):
    recorder = _Recorder()
    with recorder:
        yield recorder
    with open(path, "w", encoding="utf-8") as out:
        print("# recorded operators, with dtypes and counts; for `migrator ops`", file=out)
        for (name, dtype), count in sorted(recorder.calls.items()):
            print(*filter(None, (name, dtype, str(count))), file=out)
