#include <cuda_runtime.h>  // # expect: custom_ops.cuda_headers
#include <torch/extension.h>
/* __global__ void in_a_comment() {} */
template <typename T>
__global__ void __launch_bounds__(256) scale(T* x) { x[threadIdx.x] *= 2; }  // # expect: custom_ops.kernel

static const char* text = "__global__ void in_a_string()";

void check(torch::Tensor x) { TORCH_CHECK(x.is_cuda()); }  // # expect: custom_ops.is_cuda_check

TORCH_LIBRARY(my_ops, lib) {
  lib.def("scale(Tensor x) -> Tensor");  // # expect: custom_ops.registration
  if (true) { lib.def("other(Tensor x) -> Tensor", {}); }  // # expect: custom_ops.registration
}
TORCH_LIBRARY_IMPL(my_ops, CUDA, m) { m.impl("elsewhere", &check); }  // # expect: custom_ops.dispatch
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("check", [](torch::Tensor x) {  // # expect: custom_ops.pybind
    return x;
  });
  m.def("host", &check)  // # expect: custom_ops.pybind
      .def("chained", &check);  // # expect: custom_ops.pybind
}

#define OPERATOR_NAME "named_by_macro"
TORCH_LIBRARY_IMPL(extra, CUDA, m) {
    m.impl(OPERATOR_NAME, &by_macro);  // # expect: custom_ops.dispatch
    m.impl(UNKNOWN_NAME, &by_unknown);  // # expect: custom_ops.dispatch
}
