import torch

try:
    import tensorrt as trt  # expect: third_party.replacement
except ImportError:
    trt = None

x = torch.zeros(1, 2, device="cuda")  # expect: device.string
