import torch_npu
__import__("torch").npu.empty_cache()
import importlib
t = importlib.import_module("torch")
t.npu.empty_cache()
print(t.npu.is_available())
