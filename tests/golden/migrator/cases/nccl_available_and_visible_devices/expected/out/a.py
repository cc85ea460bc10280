import os
import torch
import torch_npu
import torch.distributed as dist

def select(device=""):
    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = device
    return torch.device("npu:0")

dist.init_process_group(backend="hccl" if dist.is_hccl_available() else "gloo")
dev = select("1")
