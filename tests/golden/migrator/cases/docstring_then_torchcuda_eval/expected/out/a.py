import importlib
import torch
import torch_npu
print(eval("torch.npu.is_available()"))
m = importlib.import_module("torch.npu")
code = """
import torch.cuda
x.cuda()
device = 'cuda'
"""
