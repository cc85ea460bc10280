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


def seed_all(seed):
    # The project's own question, wherever it comes from.
    if is_npu_available():
        torch.npu.manual_seed_all(seed)
    else:
        torch.cuda.manual_seed_all(seed)  # expect: cuda.renamed


def save(states):
    if helpers.has_npu:
        states["npu"] = torch.npu.get_rng_state_all()
    if helpers.has_cuda:
        states["cuda"] = torch.cuda.get_rng_state_all()  # expect: cuda.renamed


# The halves of a pair.
def is_cuda_available():
    return torch.cuda.is_available()  # expect: cuda.renamed


def is_npu_available():
    return hasattr(torch, "npu") and torch.npu.device_count() > 0


class CudaPlatform:
    def empty_cache(self):
        torch.cuda.empty_cache()  # expect: cuda.renamed


class NpuPlatform:
    def empty_cache(self):
        torch.npu.empty_cache()


SUPPORTED = [(is_cuda_available, "cuda"), (is_npu_available, "npu")]  # a list of pairs


def free(inputs):
    # "input" is no word of the kind.
    if inputs and not inputs.input_npus:
        torch.cuda.empty_cache()  # expect: cuda.renamed


backend = {"npu": "hccl", "xpu": "xccl"}.get(device, "nccl" if torch.distributed.is_nccl_available() else "gloo")  # expect: backend.renamed


# A branch that asks for the NPU is the project's own; the rest of its function is not.
def step(net, x):
    if helpers.has_npu:
        x = x.half()
    net = net.cuda()  # expect: method.cuda
    if is_npu_available():
        return net(x)
    torch.cuda.synchronize()  # expect: cuda.renamed
    return net(x)


def wait(x):
    torch.cuda.synchronize()  # expect: cuda.renamed
    return x
