import os

import torch
import torch.distributed as dist

torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("hccl")  # ok: advice.choose_device
