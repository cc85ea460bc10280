#include <c10/cuda/CUDAGuard.h>  // # expect: custom_ops.cuda_headers

void run(at::Tensor x) {
    const c10::cuda::CUDAGuard guard(x.device());            // # expect: custom_ops.symbol
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();  // # expect: custom_ops.symbol
    C10_CUDA_CHECK(cudaMalloc(&p, 8));                       // # expect: custom_ops.symbol, custom_ops.symbol
    cudaMalloc(&q, 8);
    ncclAllReduce(a, b, n, t, op, comm, stream);  // # expect: custom_ops.symbol
    thrust::sort(a, b);                           // # expect: custom_ops.device_code
    thrust::sort(c, d);                           // # ok: custom_ops.device_code
    cusparseSpMM(a, b);                           // # expect: custom_ops.library_without_counterpart
    my::cudaMallocator(a);                        // # ok: custom_ops.symbol
}
TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("run", &run); }  // # ok: custom_ops.dispatch
