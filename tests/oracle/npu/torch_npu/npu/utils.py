"""Devices of torch.npu."""

import os

import torch

__all__ = ["is_available", "device_count", "current_device", "set_device", "synchronize", "device", "device_of", "get_device_name",
           "get_device_properties", "get_device_capability", "can_device_access_peer", "utilization", "current_blas_handle",
           "is_bf16_supported", "set_sync_debug_mode", "get_sync_debug_mode", "ipc_collect", "set_compile_mode",
           "is_jit_compile_false", "get_npu_overflow_flag", "clear_npu_overflow_flag", "set_option"]


def _get_device_index(device, optional=False, allow_cpu=False):
    if isinstance(device, int):
        return device if device >= 0 else current_device()
    if isinstance(device, str):
        device = torch.device(device)
    if device is None:
        if not optional:
            raise ValueError("expected a torch.device with a specified index or an integer, but got: None")
        return current_device()
    if device.type == "cpu" and allow_cpu:
        return -1
    if device.type != "npu":
        raise ValueError(f"Expected a npu device, but got: {device}")
    return current_device() if device.index is None else device.index


def is_available():
    return device_count() > 0


def device_count():
    return torch.ops.npu_emulator.device_count()


def current_device():
    return torch.accelerator.current_device_index()


def set_device(device):
    index = _get_device_index(device)
    if index >= 0:
        torch.accelerator.set_device_index(index)


def synchronize(device=None):
    torch.accelerator.synchronize(_get_device_index(device, optional=True))


class device:
    """with torch.npu.device(1): ..."""

    def __init__(self, device):
        self.idx = _get_device_index(device, optional=True)

    def __enter__(self):
        self.prev_idx = current_device()
        if self.idx >= 0:
            set_device(self.idx)

    def __exit__(self, *_):
        set_device(self.prev_idx)
        return False


class device_of(device):
    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_npu else -1)
        if not obj.is_npu:
            self.idx = -1


class _Properties:
    """Without major and minor: there is no compute capability."""

    def __init__(self, index):
        self.name = get_device_name(index)
        self.total_memory = torch.accelerator.get_memory_info(index)[1]
        self.cube_core_num, self.vector_core_num, self.L2_cache_size = 24, 48, 192 * 2**20


def get_device_name(device=None):
    index = _get_device_index(device, optional=True)
    if index >= device_count():
        raise AssertionError("Invalid device id")
    return "Ascend910B3"


def get_device_properties(device=None):
    return _Properties(_get_device_index(device, optional=True))


def get_device_capability(device=None):
    """None, unless the user says what programs shall believe."""
    text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    return tuple(map(int, text.split("."))) if text else None


def can_device_access_peer(device_id, peer_device_id):
    return device_id != peer_device_id


def utilization(device=None):
    return 0


def current_blas_handle():
    return 0


def is_bf16_supported():
    return True


def set_sync_debug_mode(debug_mode):
    pass


def get_sync_debug_mode():
    return 0


def ipc_collect():
    pass


def set_compile_mode(jit_compile=None):
    pass


def is_jit_compile_false():
    return True


def set_option(option):
    pass


def get_npu_overflow_flag():
    return False


def clear_npu_overflow_flag():
    pass


def is_support_inf_nan():
    return True

