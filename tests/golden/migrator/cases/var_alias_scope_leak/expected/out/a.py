import torch
import torch_npu

def setup():
    lib = torch.npu
    lib.empty_cache()

class FakeLib:
    def empty_cache(self):
        return "mine"

def other(lib):
    return lib.empty_cache()

print(other(FakeLib()))
