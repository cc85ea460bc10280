from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension, BuildExtension
setup(ext_modules=[CUDAExtension('lltm_cuda', ['csrc/lltm.cpp', 'csrc/lltm_cuda.cu']), CUDAExtension('nms_cuda', ['csrc/nms.cpp'])], cmdclass={'build_ext': BuildExtension})
