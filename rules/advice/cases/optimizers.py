import torch
from torch import optim

scaler = torch.amp.GradScaler("cpu")
parameters = [torch.nn.Parameter(torch.ones(1))]
optim.AdamW(parameters, lr=1e-3, foreach=True)  # expect: advice.optimizer_foreach, affinity.adamw
optim.SGD(parameters, 0.1, foreach=False)  # expect: affinity.sgd
optim.Adam(parameters, fused=True)  # expect: advice.optimizer_fused, affinity.adam, operator.on_cpu
optim.Adam(parameters, fused=False)  # expect: affinity.adam, api.limited
