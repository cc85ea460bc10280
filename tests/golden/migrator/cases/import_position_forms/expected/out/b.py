try: import torch; import torch_npu
except ImportError: torch = None

def f():
    y = 1
    return torch.npu.is_available()

f()
torch.npu.empty_cache()
