"""The back end hccl: gloo on the memory of the emulated devices (device/collectives.cpp), and on nothing else."""

import torch
import torch.distributed as dist


class _Hccl(type):
    def __call__(cls, store, rank, size, timeout):
        return dist.ProcessGroupGloo(store, rank, size, timeout=timeout)


class ProcessGroupHCCL(metaclass=_Hccl):
    class Options:
        def __init__(self):
            self.hccl_config = {}


def _create(store, rank, size, timeout):
    return ProcessGroupHCCL(store, rank, size, timeout)


dist.Backend.register_backend("hccl", _create, devices=["npu"])
dist.ProcessGroupHCCL = dist.distributed_c10d.ProcessGroupHCCL = ProcessGroupHCCL
dist.is_hccl_available = lambda: True
torch.utils.checkpoint.DefaultDeviceType.set_device_type("npu")
