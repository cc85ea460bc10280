import tensorrt as trt  # expect: third_party.replacement
import torch

net = torch.nn.Linear(2, 2).cuda()  # expect: method.cuda
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # expect: affinity.sgd
for x in torch.zeros(4, 2):  # expect: advice.full_precision, advice.host_bound, advice.memory
    loss = net(x).sum()
    loss.backward()
    optimizer.step()
