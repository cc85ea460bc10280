import torch

dtypes = dict(cuda=torch.bfloat16, cpu=torch.float32)
x = torch.ones(2).cuda()
print(x.to(dtypes[x.device.type]).dtype)
