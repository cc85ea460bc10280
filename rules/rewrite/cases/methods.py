import argparse

import torch
import torch.nn as nn


class Net(nn.Module):
    def forward(self, x):
        if x.is_cuda:  # expect: method.is_cuda
            return x.cuda(non_blocking=True)  # expect: method.cuda
        return x


net = Net().cuda()  # expect: method.cuda
batch = torch.zeros(2).cuda(0)  # expect: method.cuda
moved = list(map(torch.Tensor.cuda, [batch]))  # expect: method.cuda
move = getattr(net, "cuda")  # expect: method.cuda
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
if args.cuda:  # ok: method.cuda
    net.cuda()  # expect: method.cuda


def send(items):
    return [item.cuda() for item in items]  # expect: method.cuda


def from_nowhere():
    from unknown.things import *
    somebody_elses_model.cuda()  # expect: method.cuda
