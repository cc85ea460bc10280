try: import torch
except ImportError: torch = None

try:
    from torch.cuda.amp import autocast  # expect: amp.renamed
except ImportError:
    from fallback import autocast


def step():
    with autocast():  # expect: amp.renamed
        torch.cuda.synchronize()  # expect: cuda.renamed
