__kernel void scale(__global float* x, float by) { // # expect: custom_ops.opencl_kernel
    x[get_global_id(0)] *= by;
}
