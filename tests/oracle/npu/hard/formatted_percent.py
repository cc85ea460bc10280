import torch

gpu = 0
device = "cuda:%d" % gpu
other = "cuda:{}".format(gpu)
x = torch.ones(2).to(device) + torch.ones(2).to(other)
print(x.sum().item())
