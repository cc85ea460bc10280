import torch
import torch_npu
def f(x):
	if x:
		return x.npu()
	return  x
