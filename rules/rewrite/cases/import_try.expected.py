try: import torch; import torch_npu
except ImportError: torch = None

try:
    from torch.npu.amp import autocast  # expect: amp.renamed
except ImportError:
    from fallback import autocast


def step():
    with autocast():  # expect: amp.renamed
        torch.npu.synchronize()  # expect: cuda.renamed
