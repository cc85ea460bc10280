import torch
import torch_npu
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
m = nn.DataParallel(nn.Linear(1, 1), device_ids=[0, 1]).npu()
m2 = DDP(nn.Linear(1, 1).npu(0), device_ids=[0], output_device=0)
ids = list(range(torch.npu.device_count()))
m3 = nn.SyncBatchNorm.convert_sync_batchnorm(m2)
torch.backends.cudnn.enabled = True
