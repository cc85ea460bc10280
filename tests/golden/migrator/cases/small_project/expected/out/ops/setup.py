from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="gelu_ops", ext_modules=[CUDAExtension("gelu_ops", ["csrc/bias_gelu.cu"])], cmdclass={"build_ext": BuildExtension})
