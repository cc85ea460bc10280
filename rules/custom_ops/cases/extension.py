from numba import cuda  # expect: third_party.native
import torch
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension, CUDA_HOME, load_inline

try:
    import fused_kernel_cuda  # expect: custom_ops.compiled_module
except ImportError:
    fused_kernel_cuda = None

from . import _C  # expect: custom_ops.own_module
from .layers import norm  # ok: custom_ops.own_module

_C.forward(norm)
modules = [
    CUDAExtension("a", ["a.cpp", "a.cu"]),  # expect: custom_ops.cuda_extension
    CppExtension("b", ["b.cpp"]),  # expect: custom_ops.cpp_extension
]
inline = load_inline("c", cpp_sources="", cuda_sources="")  # expect: custom_ops.load_inline
home = CUDA_HOME  # expect: custom_ops.cuda_home
torch.ops.load_library("libd.so")  # expect: custom_ops.load_library
y = torch.ops.my_ops.gelu(torch.zeros(1))  # expect: custom_ops.torch_ops
z = torch.ops.aten.add(1, 2)  # expect: custom_ops.torch_ops_builtin
aten = torch.ops.aten  # ok: custom_ops.torch_ops
stream = torch._C._cuda_getCurrentRawStream(0)  # expect: custom_ops.private_bindings


@cuda.jit  # expect: custom_ops.numba_cuda_call
def kernel(a):
    a[cuda.grid(1)] += 1  # expect: custom_ops.numba_cuda_call
library = torch.library.Library("my_ops", "IMPL", "CUDA")  # expect: custom_ops.library_for_cuda
library.impl("gelu", gelu, "CUDA")  # expect: custom_ops.library_for_cuda
providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]  # expect: custom_ops.onnx_provider


@torch.library.impl("my_ops::gelu", "CUDA")  # expect: custom_ops.impl_for_cuda
def gelu(x):
    return x
