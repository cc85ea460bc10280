import torch


def to_device(value, device):
    if torch.is_tensor(value):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(to_device(one, device) for one in value)
    if isinstance(value, dict):
        return {key: to_device(one, device) for key, one in value.items()}
    return value


batch = to_device({"x": [torch.ones(2), (torch.ones(3), 1)]}, "cuda")
print(batch["x"][1][0].sum().item())
