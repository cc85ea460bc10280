from functools import partial

import torch
import torch.distributed as dist

amp = partial(torch.autocast, "cuda", dtype=torch.float16)
start = partial(dist.init_process_group, "nccl")
doubles = partial(torch.zeros, dtype=torch.float64)
three = partial(torch.zeros, 3, dtype=torch.double)
a = doubles(3)
b = three()
print(torch.matmul(a, a))
print(torch.matmul(b, b))
print(torch.matmul(three(dtype=torch.float32), doubles(3, dtype=torch.float32)))
