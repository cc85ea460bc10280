from torch.utils.data import DataLoader

a = DataLoader([1], pin_memory=True, pin_memory_device="npu")  # expect: loader.pin_memory_device
b = DataLoader([1], pin_memory=False)  # ok: loader.pin_memory_device
c = DataLoader([1], pin_memory=True, pin_memory_device="npu")  # ok: loader.pin_memory_device
