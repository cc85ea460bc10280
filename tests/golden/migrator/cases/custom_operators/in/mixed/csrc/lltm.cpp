#include <torch/extension.h>
std::vector<torch::Tensor> lltm_cuda_forward(torch::Tensor input, torch::Tensor weights);
std::vector<torch::Tensor> lltm_forward(torch::Tensor input, torch::Tensor weights) { CHECK_INPUT(input); return lltm_cuda_forward(input, weights); }
std::vector<torch::Tensor> lltm_backward(torch::Tensor grad_h, torch::Tensor weights) { return lltm_cuda_backward(grad_h, weights); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &lltm_forward, "LLTM forward (CUDA)");
  m.def("backward", &lltm_backward, "LLTM backward (CUDA)");
}
