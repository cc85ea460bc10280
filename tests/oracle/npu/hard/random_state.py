import torch

state = torch.cuda.get_rng_state()
a = torch.rand(2, device="cuda")
torch.cuda.set_rng_state(state)
b = torch.rand(2, device="cuda")
print(torch.equal(a, b))
