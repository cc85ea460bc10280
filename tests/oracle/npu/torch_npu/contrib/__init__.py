"""torch_npu.contrib: transfer_to_npu, and helpers made of ordinary operators."""

from . import function  # noqa: F401
