"""torch.npu: what torch.cuda is for GPUs."""

import os

import torch

from . import amp, autocast_utils, backends, graphs, memory, mstx, random, streams, tensor, utils  # noqa: F401
from ._sanitizer import enable_npu_sanitizer  # noqa: F401
from .autocast_utils import *  # noqa: F403
from .backends import config, conv, matmul  # noqa: F401
from .graphs import *  # noqa: F403
from .memory import *  # noqa: F403
from .random import *  # noqa: F403
from .streams import *  # noqa: F403
from .tensor import *  # noqa: F403
from .utils import *  # noqa: F403
from .utils import _get_device_index  # noqa: F401

_initialized = False


def _finish():
    """Once torch knows the device."""
    global default_generators
    default_generators = random.default_generators = tuple(
        torch.ops.npu_emulator.default_generator(index) for index in range(device_count()))  # noqa: F405


def init():
    _lazy_init()


def _lazy_init():
    global _initialized
    _initialized = True


def is_initialized():
    return _initialized


def _is_in_bad_fork():
    return False


def _sleep(cycles):
    pass


if "ASCEND_RT_VISIBLE_DEVICES" in os.environ:
    visible = [part for part in os.environ["ASCEND_RT_VISIBLE_DEVICES"].split(",") if part]
    os.environ["EMULATED_NPU_COUNT"] = str(min(len(visible), int(os.environ.get("EMULATED_NPU_COUNT", "2"))))
