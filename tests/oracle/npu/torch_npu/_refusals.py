"""What the NPU refuses in Python code of torch."""

import torch


class DataParallel(torch.nn.DataParallel):
    def __init__(self, *args, **kwargs):
        raise RuntimeError("torch.nn.DataParallel is not supported on the NPU: start one process per device and use "
                           "torch.nn.parallel.DistributedDataParallel")


torch.nn.DataParallel = torch.nn.parallel.DataParallel = DataParallel
