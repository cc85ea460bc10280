import torch

device = "cuda:1"
devices = ["cuda:0", "cuda:1"]
a = int(device[5:])
b = device[:4]
c = int(device[len("cuda:"):])
d = device.partition("cuda:")[2]
e = devices[4:]
f = "a/cuda:b".split("cuda:")
g = torch.device("cu" + "da")
h = torch.device("CUDA".lower())
i = "barra" + "cuda"
times = {}
times[device] = 0
times["cuda:1"] += 1
names = {}
names["cuda"] = 1
torch.ones(1, device=device)
for each in devices:
    torch.ones(1, device=each)
