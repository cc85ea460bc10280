import torch as th
import torch_npu
x = th.ones(2, device=0)
th.npu.synchronize()
th.npu.mstx.range_push("step")
print("see th.cuda docs")
