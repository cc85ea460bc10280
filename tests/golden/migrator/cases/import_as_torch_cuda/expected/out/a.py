import torch_npu
import torch.npu as tc
print(tc.is_available())
tc.manual_seed_all(7)
tc.ipc_collect()
