import torch
from collections import defaultdict
DEVICES = ("cuda", "cpu")
made = {d: torch.ones(1, device=d) for d in DEVICES}
print(made["cuda"].sum())
waiting = defaultdict(list)
waiting["cuda"].append(torch.ones(2))
for where, tensors in waiting.items():
    for tensor in tensors:
        tensor.to(where)
words = {"cuda": 1}
print(words["cuda"])
