import torch
import torch_npu
a = torch.load("a.pt", map_location={"cuda:0": "npu:1", "npu:0": "npu:1"})
b = torch.load("a.pt", map_location=lambda storage, loc: storage.npu(0))
c = torch.load("a.pt", map_location=0)
e = torch.load("a.pt", "npu")
f = torch.load("a.pt")
