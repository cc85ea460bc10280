import torch

net = torch.nn.Linear(2, 2).cuda()
seen = []
net.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0].device.type == "cuda"))
net(torch.ones(1, 2).cuda())
print(seen)
assert seen == [True]
