"""Seeds, back-end switches, and the numbers in the log."""

import os
import random

import numpy as np
import torch as th

# Dense fp16/bf16 peak in FLOP/s, by a part of the name that the driver reports.
PEAK_FLOPS = {"H100": 989e12, "A100": 312e12, "L40": 181e12, "V100": 125e12, "T4": 65e12}

DTYPES = {"float32": th.float32, "float16": th.float16, "bfloat16": th.bfloat16}


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    th.manual_seed(seed)
    if th.cuda.is_available():
        th.cuda.manual_seed_all(seed)


def setup_backends(device):
    """Speed over bit-for-bit repeatability."""
    if device.type == "cuda":
        th.backends.cudnn.benchmark = True
        th.backends.cuda.matmul.allow_tf32 = True
        th.backends.cudnn.allow_tf32 = True


def amp_dtype(name, device):
    """The autocast type for ``device``: fp32 on the CPU, fp16 where bf16 is not native."""
    dtype = DTYPES[name]
    if device.type != "cuda":
        return th.float32
    if dtype is th.bfloat16 and not th.cuda.is_bf16_supported():
        return th.float16
    return dtype


def describe_device(device):
    if device.type != "cuda":
        return f"cpu, {os.cpu_count()} cores"
    properties = th.cuda.get_device_properties(device)
    return f"{th.cuda.get_device_name(device)}, {properties.total_memory / 2**30:.0f} GiB"


def peak_flops(device):
    """Peak of one device, or None when it is not in the table."""
    if device.type != "cuda":
        return None
    name = th.cuda.get_device_name(device)
    return next((flops for part, flops in PEAK_FLOPS.items() if part in name), None)


def release_memory():
    """Give cached blocks back, for example between training and evaluation."""
    if th.cuda.is_available():
        th.cuda.synchronize()
        th.cuda.empty_cache()


class Throughput:
    """Tokens per time; ``to`` converts between units, as pint quantities do."""

    UNITS = {"token/s": 1.0, "ktoken/s": 1e-3, "Mtoken/day": 86400e-6}

    def __init__(self, tokens, seconds):
        self.rate = tokens / max(seconds, 1e-9)

    def to(self, unit):
        return self.rate * self.UNITS[unit]
