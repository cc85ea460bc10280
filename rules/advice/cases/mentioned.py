import os

import torch

os.environ.setdefault("PYTORCH_NPU_ALLOC_CONF", "expandable_segments:True")
os.environ.setdefault("TASK_QUEUE_ENABLE", "2")


def step(model, optimizer, x):
    model(x).backward()
    optimizer.step()
    return x.item()  # expect: advice.host_read


for batch in range(3):  # ok: advice.memory, advice.host_bound  # expect: advice.full_precision
    step(batch)
