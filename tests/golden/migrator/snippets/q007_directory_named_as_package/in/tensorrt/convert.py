import tensorrt as trt
import torch

x = torch.randn(1, 10).cuda()
