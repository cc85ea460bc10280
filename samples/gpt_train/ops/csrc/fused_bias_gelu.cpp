// Checks the arguments, and registers the operators as torch.ops.gpt_ops.*.
#include <torch/extension.h>

torch::Tensor bias_gelu_cuda(const torch::Tensor& x, const torch::Tensor& bias);
torch::Tensor bias_gelu_backward_cuda(const torch::Tensor& grad, const torch::Tensor& x, const torch::Tensor& bias);

namespace {

void check(const torch::Tensor& x, const torch::Tensor& bias) {
  TORCH_CHECK(x.is_cuda() && bias.is_cuda(), "x and bias must be CUDA tensors");
  TORCH_CHECK(x.is_contiguous() && bias.is_contiguous(), "x and bias must be contiguous");
  TORCH_CHECK(x.dim() >= 2 && bias.dim() == 1 && x.size(-1) == bias.size(0), "bias must match the last dimension of x");
  TORCH_CHECK(x.scalar_type() == bias.scalar_type(), "x and bias must have the same dtype");
}

torch::Tensor bias_gelu(const torch::Tensor& x, const torch::Tensor& bias) {
  check(x, bias);
  return bias_gelu_cuda(x, bias);
}

torch::Tensor bias_gelu_backward(const torch::Tensor& grad, const torch::Tensor& x, const torch::Tensor& bias) {
  check(x, bias);
  TORCH_CHECK(grad.is_cuda() && grad.is_contiguous() && grad.sizes() == x.sizes(), "grad must be laid out like x");
  return bias_gelu_backward_cuda(grad, x, bias);
}

}  // namespace

TORCH_LIBRARY(gpt_ops, m) {
  m.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
  m.def("bias_gelu_backward(Tensor grad, Tensor x, Tensor bias) -> Tensor");
}

TORCH_LIBRARY_IMPL(gpt_ops, CUDA, m) {
  m.impl("bias_gelu", &bias_gelu);
  m.impl("bias_gelu_backward", &bias_gelu_backward);
}

// Lets Python import the library; the operators are reached through torch.ops.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}
