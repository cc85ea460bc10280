import ctypes
import ctypes.util

import cupy  # expect: third_party.unsupported
import cutlass  # expect: custom_ops.cutlass_python
import helion
import pycuda.compiler  # expect: third_party.unsupported
import pyopencl  # expect: custom_ops.opencl
import taichi as ti  # expect: third_party.unsupported
import tilelang  # expect: third_party.ascend_fork
import torch
import triton  # expect: third_party.ascend_fork
import triton.language as tl
import triton.tools.tensor_descriptor as td
import warp as wp
from cuda import cudart, nvrtc  # expect: third_party.unsupported


@triton.jit  # expect: custom_ops.triton_kernel
def add(x, n: tl.constexpr):
    tl.inline_asm_elementwise("", "", [], n, True, 1)  # expect: custom_ops.triton_cuda_only


descriptor = td.TensorDescriptor  # expect: custom_ops.triton_cuda_only_module
sizes = triton.runtime.driver.active.utils.get_device_properties(0)  # expect: custom_ops.triton_driver
triton.testing.do_bench(add)  # expect: custom_ops.triton_bench
kernel = cupy.RawKernel("", "f")  # expect: custom_ops.cupy_kernel
module = pycuda.compiler.SourceModule("")  # expect: custom_ops.pycuda_kernel
ti.init(arch=ti.cuda)  # expect: custom_ops.taichi_cuda


@wp.kernel  # expect: custom_ops.warp_kernel
def warped(): ...


@tilelang.jit  # expect: custom_ops.tilelang_kernel
def tiled(): ...


@helion.kernel  # expect: custom_ops.helion_kernel
def generated(): ...


runtime = ctypes.CDLL("libcudart.so.12")  # expect: custom_ops.ctypes_library
found = ctypes.util.find_library("cudart")  # expect: custom_ops.ctypes_library
host = ctypes.CDLL("libc.so.6")  # ok: custom_ops.ctypes_library
cudart.cudaMalloc(8)  # expect: custom_ops.cuda_python_call
nvrtc.nvrtcCreateProgram()  # expect: custom_ops.runtime_compiler
torch._C._jit_set_nvfuser_enabled(False)  # expect: custom_ops.nvfuser
handle = torch.zeros(1).untyped_storage()._share_cuda_()  # expect: custom_ops.shared_storage
flags = {"nvcc": ["-O3", "-gencode"]}  # expect: custom_ops.nvcc_flags, custom_ops.nvcc_flags
