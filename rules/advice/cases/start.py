import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import DataCollatorWithPadding  # expect: third_party.native

dist.init_process_group("hccl")  # expect: advice.choose_device
table = torch.nn.EmbeddingBag(8, 4, sparse=True)  # expect: advice.sparse_gradient, operator.backward_on_cpu
table = torch.nn.EmbeddingBag(8, 4, sparse=False)  # ok: advice.sparse_gradient
collate = DataCollatorWithPadding(None)  # expect: advice.collator_padding
collate = DataCollatorWithPadding(None, pad_to_multiple_of=64)  # ok: advice.collator_padding
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
model = DistributedDataParallel(model, bucket_cap_mb=500)
again = DistributedDataParallel(model, bucket_cap_mb=500, find_unused_parameters=True)  # expect: advice.ddp_unused
once = DistributedDataParallel(model, bucket_cap_mb=500, find_unused_parameters=False)  # ok: advice.ddp_unused
