# What the result of a renamed call lacks on the NPU.
import re

import torch
import torch_npu
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler

torch.set_default_tensor_type("torch.npu.HalfTensor")  # expect: api.limited, cuda.default_tensor_type, cuda.type_name
torch.set_default_tensor_type(torch.npu.FloatTensor if torch.npu.is_available() else torch.FloatTensor)  # expect: cuda.default_tensor_type, cuda.renamed, cuda.renamed
torch.set_default_tensor_type(torch.DoubleTensor)  # ok: cuda.default_tensor_type
major, minor = torch.npu.get_device_capability()  # expect: cuda.capability_used, cuda.capability
new = torch.npu.get_device_capability(0)[0] >= 8  # expect: cuda.capability_used, cuda.capability


def capability():
    return torch.npu.get_device_capability()  # expect: cuda.capability


print(capability())  # ok: cuda.capability_used
properties = torch.npu.get_device_properties(0)  # expect: cuda.renamed
print(properties.name, properties.total_memory)  # ok: cuda.property_missing
cores = properties.multi_processor_count  # expect: cuda.property_missing
scaler = ShardedGradScaler(enabled=True, device="npu")  # expect: amp.sharded_scaler_device
kind = x.type("torch.cuda.%s" % "FloatTensor")  # expect: cuda.type_prefix
index = re.match(r"cuda:(\d+)", str(device))  # expect: device.pattern
fish = re.match(r"barracuda", name)  # ok: device.pattern


def move(batch):
    return getattr(batch, "npu")()  # expect: method.cuda
