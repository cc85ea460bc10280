import torch
try:
    import fused_kernel_cuda
except ImportError:
    fused_kernel_cuda = None

def _fast(x):
    return fused_kernel_cuda.forward(x)

def _ref(x):
    return x * 2

def bias_act(x, impl="cuda"):
    if impl == "cuda" and x.device.type == "cuda":
        return _fast(x)
    return _ref(x)

def other(x):
    if not x.is_cuda:
        raise NotImplementedError
    return fused_kernel_cuda.backward(x)

def usable(x):
    if x.device.type != "cuda":
        return _ref(x)
    return _fast(x)

def plain(x):
    if torch.cuda.is_available():
        x = x.cuda()
    return _fast(x) if x.is_cuda else _ref(x)
