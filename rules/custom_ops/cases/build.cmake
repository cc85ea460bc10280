project(ops LANGUAGES CXX CUDA) # expect: custom_ops.cmake_cuda
find_package(CUDAToolkit REQUIRED) # expect: custom_ops.cmake_cuda
# enable_language(CUDA)
cuda_add_library(ops a.cu) # expect: custom_ops.cmake_cuda
