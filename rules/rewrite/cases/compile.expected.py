import torch
import torch_npu

net = torch.nn.Linear(2, 2)
captured = torch.compile(net, backend="npugraphs")  # expect: compile.cudagraphs, compile.inductor
fused = torch.compile(net)  # ok: compile.cudagraphs
