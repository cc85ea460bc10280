// y = gelu(x + bias) with the tanh approximation, and its gradient with respect to x.
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>

#include <algorithm>

namespace {

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 4096;
constexpr double kAlpha = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kBeta = 0.044715;

template <typename T>
__device__ T gelu(T v) {
  const T inner = T(kAlpha) * (v + T(kBeta) * v * v * v);
  return T(0.5) * v * (T(1) + tanh(inner));
}

template <typename T>
__device__ T gelu_derivative(T v) {
  const T t = tanh(T(kAlpha) * (v + T(kBeta) * v * v * v));
  const T inner_derivative = T(kAlpha) * (T(1) + T(3 * kBeta) * v * v);
  return T(0.5) * (T(1) + t) + T(0.5) * v * (T(1) - t * t) * inner_derivative;
}

template <typename scalar_t>
__global__ void bias_gelu_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ bias,
                                 scalar_t* __restrict__ y, int64_t count, int64_t columns) {
  using math_t = at::opmath_type<scalar_t>;
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    y[i] = static_cast<scalar_t>(gelu(math_t(x[i]) + math_t(bias[i % columns])));
  }
}

template <typename scalar_t>
__global__ void bias_gelu_backward_kernel(const scalar_t* __restrict__ grad, const scalar_t* __restrict__ x,
                                          const scalar_t* __restrict__ bias, scalar_t* __restrict__ grad_x,
                                          int64_t count, int64_t columns) {
  using math_t = at::opmath_type<scalar_t>;
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const math_t v = math_t(x[i]) + math_t(bias[i % columns]);
    grad_x[i] = static_cast<scalar_t>(math_t(grad[i]) * gelu_derivative(v));
  }
}

unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
}

}  // namespace

torch::Tensor bias_gelu_cuda(const torch::Tensor& x, const torch::Tensor& bias) {
  const at::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  if (x.numel() == 0) return y;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "bias_gelu", [&] {
    bias_gelu_kernel<scalar_t><<<blocks_for(x.numel()), kThreads, 0, stream>>>(
        x.const_data_ptr<scalar_t>(), bias.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), x.numel(),
        x.size(-1));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor bias_gelu_backward_cuda(const torch::Tensor& grad, const torch::Tensor& x, const torch::Tensor& bias) {
  const at::cuda::CUDAGuard guard(x.device());
  auto grad_x = torch::empty_like(x);
  if (x.numel() == 0) return grad_x;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "bias_gelu_backward", [&] {
    bias_gelu_backward_kernel<scalar_t><<<blocks_for(x.numel()), kThreads, 0, stream>>>(
        grad.const_data_ptr<scalar_t>(), x.const_data_ptr<scalar_t>(), bias.const_data_ptr<scalar_t>(),
        grad_x.mutable_data_ptr<scalar_t>(), x.numel(), x.size(-1));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return grad_x;
}
