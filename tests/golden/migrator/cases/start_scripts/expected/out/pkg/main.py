import os

import torch
import torch_npu

from . import layers

if __name__ == "__main__":
    torch.distributed.init_process_group("hccl", rank=int(os.environ["RANK"]))
    layers.train(torch.device(f"npu:{os.environ['LOCAL_RANK']}"))
