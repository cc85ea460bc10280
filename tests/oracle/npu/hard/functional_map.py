import torch

tensors = list(map(torch.Tensor.cuda, [torch.ones(2), torch.zeros(2)]))
moved = [tensor.cuda() for tensor in tensors]
print(sum(tensor.sum().item() for tensor in moved))
