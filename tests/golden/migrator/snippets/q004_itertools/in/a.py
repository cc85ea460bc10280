import itertools
import torch
for dev, dtype in itertools.product(["cuda", "cpu"], [torch.float32, torch.float64]):
    x = torch.ones(2, device=dev, dtype=dtype)
    if dev == "cuda":
        torch.cuda.synchronize()
for dev in itertools.chain(("cuda:0",), ["cpu"]):
    torch.ones(1).to(dev)
