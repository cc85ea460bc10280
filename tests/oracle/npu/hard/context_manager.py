import contextlib
import torch


@contextlib.contextmanager
def on(index):
    before = torch.cuda.current_device()
    torch.cuda.set_device(index)
    try:
        yield torch.device("cuda", index)
    finally:
        torch.cuda.set_device(before)


with on(0) as device:
    print(torch.ones(2, device=device).sum().item())
