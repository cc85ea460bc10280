import torch


class Holder:
    def __init__(self, device):
        self.device = torch.device(device)

    def is_gpu(self):
        return self.device.type == "cuda"

    def make(self):
        assert self.is_gpu()
        return torch.ones(2, device=self.device)


print(Holder("cuda").make().sum().item())
