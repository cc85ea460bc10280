import torch
import torch_npu
rank = 1
a = torch.device(0)
b = torch.device(rank)
c = torch.device("npu", rank)
e = torch.device(type="npu", index=rank)
f = torch.device("npu" if torch.npu.is_available() else "cpu")
