"""Names of the project that look like names of torch."""
import torch
import torch_npu


class Engine:
    def cuda(self):
        return "the project's own"


cuda = Engine()


def pick(torch=None):
    return torch.cuda if torch else None


def current():
    return torch.npu.current_device()
