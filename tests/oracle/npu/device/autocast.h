// The lists of mixed precision, for more than one device.
#pragma once

#include <torch/library.h>

namespace emulator {

// Gives the CPU the lists of CUDA, which are longer than its own; `library` implements aten for AutocastCPU.
void add_cuda_lists(torch::Library& library);

}  // namespace emulator
