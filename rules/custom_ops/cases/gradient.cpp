class Scale : public torch::autograd::Function<Scale> {  // # expect: custom_ops.autograd_function
    static at::Tensor forward(AutogradContext* ctx, at::Tensor x) { return x; }
};
class Other : public Function<int> {};  // # ok: custom_ops.autograd_function
int device_count() { return 0; }        // # ok: custom_ops.symbol
int more = c10::cuda::device_count();   // # expect: custom_ops.symbol
