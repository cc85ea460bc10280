PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &nms_cuda); m.def("idle", [](at::Tensor x, int64_t n = 3) -> at::Tensor { return x; }); }
