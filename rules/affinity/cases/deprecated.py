import torch
import torch_npu

y = torch_npu.npu_confusion_transpose(torch.ones(2, 3), (1, 0), (3, 2), True)  # expect: affinity.deprecated
z = torch_npu.npu_transpose(y, (1, 0))  # expect: affinity.deprecated
w = torch_npu.npu_swiglu(z)  # ok: affinity.deprecated
