__device__ float sum(float v) {
  for (int i = 16; i > 0; i /= 2) v += __shfl_down_sync(~0u, v, i);  // # expect: custom_ops.device_code
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));  // # expect: custom_ops.ptx
  atomicAdd(out, v);  // # expect: custom_ops.device_code
  return v;
}
