import torch
import torch_npu
type Dev = torch.device

def first[T](xs: list[T]) -> T:
    return xs[0]

x = torch.zeros(1).npu()
