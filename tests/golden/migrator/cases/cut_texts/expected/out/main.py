import torch
import torch_npu

device = "npu:1"
devices = ["npu:0", "npu:1"]
a = int(device[4:])
b = device[6:]
c = int(device[len("npu:"):])
d = device.partition("npu:")[2]
e = devices[4:], devices[5:]
times = {}
times[device] = 0
times["npu:1"] += 1
