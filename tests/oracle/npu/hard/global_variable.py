import torch

DEVICE = None


def init():
    global DEVICE
    DEVICE = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


init()
print(torch.ones(3, device=DEVICE).sum().item(), DEVICE.type != "cpu")
