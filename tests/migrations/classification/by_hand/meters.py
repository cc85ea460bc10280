import torch


def accuracy(output, target):
    with torch.no_grad():
        _, predicted = output.topk(1, 1, True, True)
        correct = predicted.t().eq(target.view(1, -1))
        return correct.float().sum() / target.size(0)  # hand: op.host_sync
