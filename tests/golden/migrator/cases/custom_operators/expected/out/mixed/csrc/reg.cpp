TORCH_LIBRARY(myops, m) { m.def("warp(Tensor x, float by=1.0, Tensor? m=None) -> Tensor"); }
TORCH_LIBRARY_IMPL(myops, CUDA, m) { m.impl("warp", &warp_cuda); }
