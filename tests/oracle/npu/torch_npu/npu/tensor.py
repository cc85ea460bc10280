"""torch.npu.FloatTensor, torch.npu.FloatStorage and their like."""

import torch
from torch.storage import _LegacyStorage

TYPES = {"Bool": torch.bool, "Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64,
         "Half": torch.float16, "BFloat16": torch.bfloat16, "Float": torch.float32, "Double": torch.float64}
__all__ = [f"{name}{kind}" for name in TYPES for kind in ("Tensor", "Storage")]


class _TensorType(type):
    """Tensor.type() knows the types by their full names."""

    def __instancecheck__(cls, value):
        return isinstance(value, torch.Tensor) and value.device.type == "npu" and value.dtype == cls.dtype

    def __call__(cls, *arguments):
        if len(arguments) == 1 and not isinstance(arguments[0], (int, torch.Size)):
            return torch.tensor(arguments[0], dtype=cls.dtype, device="npu")
        return torch.empty(*arguments, dtype=cls.dtype, device="npu")


for _name, _dtype in TYPES.items():
    globals()[f"{_name}Tensor"] = _TensorType(f"torch.npu.{_name}Tensor", (), {"dtype": _dtype})
    globals()[f"{_name}Storage"] = type(f"{_name}Storage", (_LegacyStorage,), {"_dtype": _dtype, "__module__": "torch.npu"})
