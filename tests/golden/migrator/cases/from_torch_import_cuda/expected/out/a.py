import torch_npu
from torch import npu
if npu.is_available():
    npu.manual_seed_all(7)
    npu.ipc_collect()
    props = npu.get_device_properties(0)
