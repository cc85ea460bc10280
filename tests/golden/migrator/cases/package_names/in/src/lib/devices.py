"""Names of the project that look like names of torch."""
import torch


class Engine:
    def cuda(self):
        return "the project's own"


cuda = Engine()


def pick(torch=None):
    return torch.cuda if torch else None


def current():
    return torch.cuda.current_device()
