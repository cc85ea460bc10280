import numpy as np  # ok: third_party.native
import flash_attn  # expect: third_party.replacement
from flash_attn import flash_attn_func
import apex, deepspeed  # expect: third_party.ascend_fork, third_party.native
from apex.optimizers import FusedAdam
import cupy  # expect: third_party.unsupported
import fastertransformer  # expect: third_party.replacement
import jax.numpy as jnp  # expect: third_party.unknown
from . import triton  # ok: third_party.ascend_fork


def quantize():
    import bitsandbytes as bnb  # expect: third_party.ascend_fork
    return bnb
