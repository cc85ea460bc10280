import torch
import torch.nn.functional as F

weights = torch.zeros(4, 4, dtype=torch.float64)


def products(x: torch.Tensor, device):
    y = x.double()  # expect: api.limited, advice.float64
    torch.matmul(y, x)  # expect: api.dtype
    y @ y  # expect: api.dtype
    z = y.to(device).contiguous() * 2
    z.matmul(x)  # expect: api.dtype
    F.linear(x, weights)  # expect: api.dtype
    torch.matmul(x.to(torch.float64), x)  # expect: api.dtype
    torch.matmul(x, torch.ones(4, dtype=torch.cfloat))  # expect: api.dtype
    torch.add(y, y)  # ok: api.dtype
    y.to(device)  # ok: api.dtype
    y = y.float()
    return torch.matmul(y, y)  # ok: api.dtype


def either(x: torch.Tensor, exact):
    if exact:
        x = x.double()  # expect: advice.float64
    torch.matmul(x, x)  # ok: api.dtype
    x = x.double()  # expect: advice.float64
    for _ in range(2):
        torch.matmul(x, x)  # ok: api.dtype
        x = x.half()
    return torch.matmul(-x, x)  # ok: api.dtype
