import torch
import torch_npu
import torch as th

backend = torch.npu  # expect: cuda.module
backend.empty_cache()  # expect: cuda.renamed
backend.NPUGraph()  # expect: cuda.renamed
total = (th  # expect: cuda.renamed
         .npu  # a chain on several lines
         .memory_allocated())
fn = torch . npu . is_available  # expect: cuda.renamed
torch.cuda.nccl.version()  # expect: cuda.missing
torch.cuda.comm  # expect: cuda.module_missing
torch.cuda.made_up_name(3)  # expect: cuda.unknown
torch.npu.Event().elapsed_time  # expect: cuda.renamed
torch.npu.current_stream().npu_stream  # expect: cuda.renamed, method.cuda_stream
torch.npu.Event().cuda_event  # expect: cuda.renamed, method.cuda_event
flag = getattr(torch, "npu")  # expect: cuda.module
if hasattr(torch.npu, "mstx"):  # expect: cuda.module, cuda.module
    pass
kind = torch.zeros(1).type() == "torch.npu.FloatTensor"  # expect: cuda.type_name
torch.cuda.synchronize = print  # expect: cuda.renamed
print("see torch.cuda.empty_cache in the manual")  # ok: cuda.type_name
torch.backends.cuda.matmul.allow_tf32 = True  # expect: backends.instead
torch.backends.cudnn.benchmark = True  # expect: backends.no_effect
torch.backends.cudnn.something_new = 1  # expect: backends.cuda_other
try:
    pass
except torch.OutOfMemoryError:  # expect: cuda.renamed
    pass


def lamp(torch):
    torch.cuda.empty_cache()  # ok: cuda.renamed


class Tracker:
    cuda = torch.npu  # expect: cuda.module

    def __init__(self):
        self.torch = torch
        self.lib = torch.npu  # expect: cuda.module

    def reset(self):
        self.torch.npu.empty_cache()  # expect: cuda.renamed
        self.lib.empty_cache()  # expect: cuda.renamed
        self.cuda.empty_cache()  # expect: cuda.renamed
        self.torch.npu.mstx.range_pop()  # expect: cuda.renamed


SYNCHRONIZE = {"cuda": torch.npu.synchronize, "cpu": None}  # expect: device.string, cuda.renamed
states["torch.cuda"] = None  # ok: cuda.type_name
with timed("torch.cuda.synchronize"):  # expect: cuda.type_name
    pass


@mock.patch("torch.npu.is_available", return_value=True)  # expect: cuda.type_name
def test(available):
    pass


def built_for():
    if torch.version.cuda is None:  # expect: backends.cuda_value
        return None
    return torch.version.cuda.split(".")  # expect: backends.cuda_value


newest = torch.version.cuda >= "12.0"  # expect: backends.cuda_value, backends.cuda_value_used
old = torch.backends.cudnn.version() // 1000 < 9  # expect: backends.cuda_value, backends.cuda_value_used
