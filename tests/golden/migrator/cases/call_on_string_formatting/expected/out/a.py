import torch
import torch_npu
i = 0
d1 = torch.device("npu" + (":%d" % i))
d2 = torch.device("npu:" "%d" % i)
d3 = torch.device("{}:{:d}".format("npu", i))
d4 = torch.device("npu:{idx}".format(idx=i))
d5 = "cuda:{}".format
d6 = "cuda_%d" % i
d7 = "CUDA:0".lower()
d8 = "Cuda"
d9 = ["cuda", "cpu", "cuda:1"]
d10 = "cudnn"
