import argparse

import torch
import torch_npu
import torch.nn as nn


class Net(nn.Module):
    def forward(self, x):
        if x.is_npu:  # expect: method.is_cuda
            return x.npu(non_blocking=True)  # expect: method.cuda
        return x


net = Net().npu()  # expect: method.cuda
batch = torch.zeros(2).npu(0)  # expect: method.cuda
moved = list(map(torch.Tensor.npu, [batch]))  # expect: method.cuda
move = getattr(net, "npu")  # expect: method.cuda
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
if args.cuda:  # ok: method.cuda
    net.npu()  # expect: method.cuda


def send(items):
    return [item.npu() for item in items]  # expect: method.cuda


def from_nowhere():
    from unknown.things import *
    somebody_elses_model.cuda()  # expect: method.cuda
