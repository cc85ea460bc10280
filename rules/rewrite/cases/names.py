import torch
import torch as th

backend = torch.cuda  # expect: cuda.module
backend.empty_cache()  # expect: cuda.renamed
backend.CUDAGraph()  # expect: cuda.renamed
total = (th  # expect: cuda.renamed
         .cuda  # a chain on several lines
         .memory_allocated())
fn = torch . cuda . is_available  # expect: cuda.renamed
torch.cuda.nccl.version()  # expect: cuda.missing
torch.cuda.comm  # expect: cuda.module_missing
torch.cuda.made_up_name(3)  # expect: cuda.unknown
torch.cuda.Event().elapsed_time  # expect: cuda.renamed
torch.cuda.current_stream().cuda_stream  # expect: cuda.renamed, method.cuda_stream
torch.cuda.Event().cuda_event  # expect: cuda.renamed, method.cuda_event
flag = getattr(torch, "cuda")  # expect: cuda.module
if hasattr(torch.cuda, "nvtx"):  # expect: cuda.module, cuda.module
    pass
kind = torch.zeros(1).type() == "torch.cuda.FloatTensor"  # expect: cuda.type_name
torch.cuda.synchronize = print  # expect: cuda.renamed
print("see torch.cuda.empty_cache in the manual")  # ok: cuda.type_name
torch.backends.cuda.matmul.allow_tf32 = True  # expect: backends.instead
torch.backends.cudnn.benchmark = True  # expect: backends.no_effect
torch.backends.cudnn.something_new = 1  # expect: backends.cuda_other
try:
    pass
except torch.cuda.OutOfMemoryError:  # expect: cuda.renamed
    pass


def lamp(torch):
    torch.cuda.empty_cache()  # ok: cuda.renamed


class Tracker:
    cuda = torch.cuda  # expect: cuda.module

    def __init__(self):
        self.torch = torch
        self.lib = torch.cuda  # expect: cuda.module

    def reset(self):
        self.torch.cuda.empty_cache()  # expect: cuda.renamed
        self.lib.empty_cache()  # expect: cuda.renamed
        self.cuda.empty_cache()  # expect: cuda.renamed
        self.torch.cuda.nvtx.range_pop()  # expect: cuda.renamed


SYNCHRONIZE = {"cuda": torch.cuda.synchronize, "cpu": None}  # expect: device.string, cuda.renamed
states["torch.cuda"] = None  # ok: cuda.type_name
with timed("torch.cuda.synchronize"):  # expect: cuda.type_name
    pass


@mock.patch("torch.cuda.is_available", return_value=True)  # expect: cuda.type_name
def test(available):
    pass


def built_for():
    if torch.version.cuda is None:  # expect: backends.cuda_value
        return None
    return torch.version.cuda.split(".")  # expect: backends.cuda_value


newest = torch.version.cuda >= "12.0"  # expect: backends.cuda_value, backends.cuda_value_used
old = torch.backends.cudnn.version() // 1000 < 9  # expect: backends.cuda_value, backends.cuda_value_used
