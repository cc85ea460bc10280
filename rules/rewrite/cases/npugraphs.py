import torch

net = torch.compile(torch.nn.Linear(2, 2), backend="npugraphs")  # ok: compile.inductor
