import torch

for rank in range(torch.cuda.device_count()):
    x = torch.ones(2, device=f"cuda:{rank}")
    assert x.device == torch.device("cuda", rank)
    assert x.get_device() == rank
    break
print("done")
