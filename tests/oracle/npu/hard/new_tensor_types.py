import torch

x = torch.cuda.FloatTensor([1.0, 2.0])
y = torch.zeros(2).type(torch.cuda.FloatTensor)
print((x + y).sum().item())
