import torch
import torch_npu

y = torch_npu.npu_confusion_transpose(torch.ones(2, 3), (1, 0), (3, 2), True)  # expect: migrated.torch_namespace
w = torch_npu.npu_format_cast(y, 2)  # expect: migrated.torch_namespace
z = torch_npu.npu_rms_norm(y, y)  # ok: migrated.torch_namespace
torch.npu.set_start_fuzz_compile_step(3)  # expect: migrated.gone
torch.npu.global_step_inc()  # expect: migrated.gone
torch.npu.synchronize()  # ok: migrated.gone
with torch.npu.profile("prof"):  # expect: migrated.old_profiler
    pass
with torch_npu.profiler.profile():  # ok: migrated.old_profiler
    pass
if torch_npu.npu.get_npu_overflow_flag():  # expect: migrated.overflow_flag
    torch_npu.npu.clear_npu_overflow_flag()  # expect: migrated.overflow_flag
if torch_npu.npu.utils.npu_check_overflow(y):  # ok: migrated.overflow_flag
    pass
option = {"ACL_OP_SELECT_IMPL_MODE": "high_precision"}  # expect: migrated.deprecated_option
option["ACL_OPTYPELIST_FOR_IMPLMODE"] = "Softmax"  # expect: migrated.deprecated_option
torch.npu.set_option(option)
with torch.autograd.profiler.profile(use_device="npu") as p:  # expect: migrated.use_npu
    pass


def profiled(args):
    return torch.autograd.profiler.profile(use_npu=args.npu)  # expect: migrated.use_npu_computed
