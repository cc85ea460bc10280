import torch
import torch_npu
import torch.distributed as dist
names = 'cuda,cpu'
dist.init_process_group("cpu:gloo,npu:hccl")
backend = "gloo+nccl"
devs = "npu:0,npu:1".split(',')
wants = {"device_map": "npu", "kind": "cuda_if_available"}
dist.init_process_group(backend=dist.Backend.HCCL)
ok = dist.is_hccl_available()
pg = torch_npu._C._distributed_c10d.ProcessGroupHCCL
