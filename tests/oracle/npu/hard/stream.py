import torch

stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    x = torch.ones(8, 8, device="cuda") * 2
torch.cuda.current_stream().wait_stream(stream)
print(x.sum().item())
