# Code that knows the NPU by itself is left alone.
import torch


def pick():
    if torch.cuda.is_available():  # expect: cuda.renamed
        return torch.device("cuda")  # expect: device.string
    if torch.npu.is_available():
        return torch.device("npu")
    return torch.device("cpu")


BACKENDS = {"cuda": "nccl", "npu": "hccl"}
device = "npu" if hasattr(torch, "npu") else "cuda"  # expect: device.string
if device == "cuda":  # expect: device.string
    torch.cuda.empty_cache()  # expect: cuda.renamed
elif device == "npu":
    torch.npu.empty_cache()
x = torch.zeros(1).cuda()  # expect: method.cuda
