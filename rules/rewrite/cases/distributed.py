import torch
import torch.distributed as dist
from torch.distributed import is_nccl_available  # expect: backend.renamed

dist.init_process_group("cpu:gloo,cuda:nccl")  # expect: backend.string
dist.init_process_group(backend="nccl" if dist.is_nccl_available() else "gloo")  # expect: backend.string, backend.renamed
dist.init_process_group(dist.Backend.NCCL)  # expect: backend.renamed
if dist.get_backend() == "nccl":  # expect: backend.string
    group = dist.new_group([0], backend="nccl")  # expect: backend.string
options = dist.ProcessGroupNCCL.Options()  # expect: backend.renamed
group_class = dist.ProcessGroupNCCL  # expect: backend.renamed
backend = {"cuda": "nccl", "cpu": "gloo"}[torch.device("cuda").type]  # expect: device.string, device.string, backend.string
ready = is_nccl_available()  # expect: backend.renamed
model = torch.nn.DataParallel(torch.nn.Linear(1, 1))  # expect: parallel.data_parallel
note = "the nccl library"  # ok: backend.string

BACKENDS = {
    "cuda": "nccl",  # expect: device.string, backend.string
    "hpu": "hccl",
}
BOTH = {"cuda": "nccl", "npu": "hccl"}  # expect: device.string


def backend_of(device_type):
    backend = BACKENDS.get(device_type)
    return backend or BOTH[device_type]
