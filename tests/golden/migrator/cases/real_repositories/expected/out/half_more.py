# (1) pair in one chain  (2) list of devices built with +  (3) DeviceMesh.from_group
import torch
import torch_npu
from torch.distributed.device_mesh import DeviceMesh
def mesh(pg):
    return DeviceMesh.from_group(pg, "npu")
def step(input_ids, model):
    if input_ids is not None:
        input_ids = input_ids.npu()
    return [m.npu() for m in model]
