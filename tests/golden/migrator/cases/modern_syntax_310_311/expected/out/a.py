import torch
import torch_npu

def pick(kind):
    match kind:
        case "cuda":
            return torch.device("npu")
        case {"type": "cuda", "index": i}:
            return torch.device("npu", i)
        case torch.device(type="npu"):
            return kind
    return None

def f(a, /, b: int | None = None, *, dev="npu"):
    if (n := torch.npu.device_count()) > 1:
        return n

async def g(x):
    async with lock:
        return x.npu(non_blocking=True)

try:
    pass
except* RuntimeError as eg:
    torch.npu.empty_cache()
