import torch
import torch_npu
from torch.utils.cpp_extension import CUDAExtension, CUDA_HOME
g = torch.npu.NPUGraph()
torch.npu.mstx.range_push("a")
torch.cuda.comm.broadcast(torch.ones(1), [0, 1])
torch.cuda.nccl.version()
v = torch.version.cuda
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.benchmark = True
cap = torch.npu.get_device_capability()[0] >= 8
maj = torch.npu.get_device_properties(0).major
torch.npu.memory._record_memory_history()
torch.cuda.cudart().cudaProfilerStart()
torch.npu._sleep(10)
s = torch.npu.ExternalStream(0)
torch.npu.set_rng_state(torch.npu.get_rng_state())
torch.npu.default_generators[0]
torch.cuda.jiterator
torch._C._cuda_getCurrentRawStream(0)
