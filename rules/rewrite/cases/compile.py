import torch

net = torch.nn.Linear(2, 2)
captured = torch.compile(net, backend="cudagraphs")  # expect: compile.cudagraphs, compile.inductor
fused = torch.compile(net)  # ok: compile.cudagraphs
