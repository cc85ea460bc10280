import os

import torch

from . import layers

if __name__ == "__main__":
    torch.distributed.init_process_group("nccl", rank=int(os.environ["RANK"]))
    layers.train(torch.device(f"cuda:{os.environ['LOCAL_RANK']}"))
