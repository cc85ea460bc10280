import torch

device = "cuda:1"
devices = ["cuda:0", "cuda:1"]
a = int(device[5:])
b = device[6:]
c = int(device[len("cuda:"):])
d = device.partition("cuda:")[2]
e = devices[4:], devices[5:]
times = {}
times[device] = 0
times["cuda:1"] += 1
