import torch
import torch_npu
host = torch.device('cpu')
dev = torch.device('npu', 1)
m = torch.nn.Linear(1, 1).npu(non_blocking=True)
n = torch.nn.Linear(1, 1).npu(0, True)
x = torch.ones(1).to(host)
y = torch.ones(1).to('cpu')
z = torch.load('a.pt', map_location=host)
