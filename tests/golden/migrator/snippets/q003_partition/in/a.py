import torch
def index(device):
    kind, _, number = str(device).partition(":")
    if kind != "cuda":
        raise ValueError(f"not a GPU: {device}")
    name, *rest = str(device).rsplit(":", 1)
    return int(number or 0) if name == "cuda" else -1
print(index(torch.ones(1, device="cuda:0").device))
