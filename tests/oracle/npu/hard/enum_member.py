import enum
import torch


class Device(enum.Enum):
    CPU = "cpu"
    CUDA = "cuda"


def put(x, device):
    return x.to(device.value)


x = put(torch.ones(2), Device.CUDA)
print(Device(x.device.type).name, x.sum().item())
