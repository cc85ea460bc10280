void roi_align_forward(at::Tensor input, at::Tensor rois);
at::Tensor nms(at::Tensor sound, int64_t frames);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("forward", &roi_align_forward);                // # expect: custom_ops.known_operator
    m.def("upfirdn2d", [](at::Tensor x) { return x; });  // # expect: custom_ops.known_operator
    m.def("nms", &nms);                                  // # expect: custom_ops.pybind
}
TORCH_LIBRARY(ops, m) {
    m.def("sigmoid_focal_loss_forward(Tensor x) -> Tensor");  // # expect: custom_ops.known_operator
}
