import importlib

fused = importlib.import_module("fused_norm_cuda")  # expect: custom_ops.loaded_by_name
plain = importlib.import_module("fused_norm")  # ok: custom_ops.loaded_by_name
