import torch
import torch_npu
import torch.distributed as dist
from torch.distributed import is_hccl_available  # expect: backend.renamed

dist.init_process_group("cpu:gloo,npu:hccl")  # expect: backend.string
dist.init_process_group(backend="hccl" if dist.is_hccl_available() else "gloo")  # expect: backend.string, backend.renamed
dist.init_process_group(dist.Backend.HCCL)  # expect: backend.renamed
if dist.get_backend() == "hccl":  # expect: backend.string
    group = dist.new_group([0], backend="hccl")  # expect: backend.string
options = torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()  # expect: backend.renamed
group_class = torch_npu._C._distributed_c10d.ProcessGroupHCCL  # expect: backend.renamed
backend = {"npu": "hccl", "cpu": "gloo"}[torch.device("npu").type]  # expect: device.string, device.string, backend.string
ready = is_hccl_available()  # expect: backend.renamed
model = torch.nn.DataParallel(torch.nn.Linear(1, 1))  # expect: parallel.data_parallel
note = "the nccl library"  # ok: backend.string

BACKENDS = {
    "npu": "hccl",  # expect: device.string, backend.string
    "hpu": "hccl",
}
BOTH = {"cuda": "nccl", "npu": "hccl"}  # expect: device.string


def backend_of(device_type):
    backend = BACKENDS.get(device_type)
    return backend or BOTH[device_type]
