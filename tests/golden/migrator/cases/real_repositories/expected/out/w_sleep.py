import torch
import torch_npu
torch.cuda._sleep(1000)
maj = torch.npu.get_device_capability()[0]
n = torch.npu.get_device_properties(0).multi_processor_count
print(torch.npu.get_device_properties(0).major)
