import torch

weights = torch.tensor([1.0, 2.0], device="cuda")
loss = torch.nn.CrossEntropyLoss(weight=weights).cuda()
print(loss(torch.zeros(2, 2, device="cuda"), torch.tensor([0, 1], device="cuda")).item() > 0)
