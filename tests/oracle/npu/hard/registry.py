import torch

MAKERS = {}


def register(name):
    def add(function):
        MAKERS[name] = function
        return function

    return add


@register("ones")
def ones(device):
    return torch.ones(2, device=device)


@register("twos")
def twos(device):
    return ones(device) * 2


print(sum(make("cuda").sum().item() for make in MAKERS.values()))
