#include <cuda_runtime.h>
#include "cuda/ms_deform_im2col_cuda.cuh"
at::Tensor ms_deform_attn_cuda_forward(const at::Tensor &value, const int im2col_step)
{
    AT_DISPATCH_FLOATING_TYPES(value.type(), "f", ([&] { ms_deformable_im2col_cuda(at::cuda::getCurrentCUDAStream(), value.data<scalar_t>()); }));
}
std::vector<at::Tensor> ms_deform_attn_cuda_backward(const at::Tensor &value, const at::Tensor &g, const int im2col_step)
{
    ms_deformable_col2im_cuda(at::cuda::getCurrentCUDAStream());
}
