import atexit
import os

import torch
import torch.distributed
import torch.nn.parallel
import torch.utils.data.distributed


def setup_distributed():
    """Joins the processes that torchrun has started, each with a device of its own."""
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        torch.distributed.init_process_group("nccl")
    else:
        torch.distributed.init_process_group("gloo")
    atexit.register(torch.distributed.destroy_process_group)


def is_main_process():
    """True in the one process that prints and saves."""
    return os.environ.get("RANK", "0") == "0"


