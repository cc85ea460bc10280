import torch

torch.cuda.manual_seed_all(3)
a = torch.rand(3, device="cuda")
torch.cuda.manual_seed(3)
b = torch.rand(3, device="cuda")
print(torch.equal(a, b))
