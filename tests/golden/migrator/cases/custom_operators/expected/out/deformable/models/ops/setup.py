import os, glob, torch
from torch.utils.cpp_extension import CUDA_HOME, CppExtension, CUDAExtension
from setuptools import setup
def get_extensions():
    this_dir = os.path.dirname(os.path.abspath(__file__))
    main_file = glob.glob(os.path.join(this_dir, "src", "*.cpp"))
    source_cuda = glob.glob(os.path.join(this_dir, "src", "cuda", "*.cu"))
    return [CUDAExtension("MultiScaleDeformableAttention", main_file + source_cuda)]
setup(name="MultiScaleDeformableAttention", ext_modules=get_extensions(), cmdclass={"build_ext": torch.utils.cpp_extension.BuildExtension})
