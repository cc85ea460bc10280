import torch
import torch_npu

device = "npu:1"
devices = ["npu:0", "npu:1"]
a = int(device[5:])
b = device[:4]
c = int(device[len("npu:"):])
d = device.partition("npu:")[2]
e = devices[4:]
f = "a/cuda:b".split("cuda:")
g = torch.device("cu" + "da")
h = torch.device("CUDA".lower())
i = "barra" + "cuda"
times = {}
times[device] = 0
times["npu:1"] += 1
names = {}
names["cuda"] = 1
torch.ones(1, device=device)
for each in devices:
    torch.ones(1, device=each)
