"""torch_npu for machines without an NPU: a real device type `npu`, whose devices compute on the CPU.

Test only. It has the names of the real package that our rules write, and what belongs to them; where Ascend refuses something, so
does it. A name that is not here fails as one that torch_npu lacks.
"""

import torch

import torch_npu_build

torch.ops.load_library(torch_npu_build.library())
torch.utils.rename_privateuse1_backend("npu")

from . import npu  # noqa: E402

torch._register_device_module("npu", npu)
torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True)

from . import _C, _cells, _refusals, _verdicts, contrib, distributed, optim, profiler, utils  # noqa: E402, F401
from ._fused import *  # noqa: E402, F403
from ._version import __version__  # noqa: E402, F401

npu._finish()
_verdicts.apply()
