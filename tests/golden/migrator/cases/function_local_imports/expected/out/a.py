def one():
    import torch
    import torch_npu
    return torch.npu.is_available()

def two():
    import torch
    import torch_npu
    torch.npu.empty_cache()
    return torch.npu.device_count()

two()
