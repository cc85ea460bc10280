import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

# No training loop: what is said of training files is not said here.
loader = DataLoader([])  # ok: advice.loader_workers
torch.distributed.init_process_group("gloo")  # ok: advice.hccl_buffer
first = pad_sequence([torch.ones(2)])  # expect: advice.pad_to_longest
second = pad_sequence([torch.ones(2)])  # ok: advice.pad_to_longest
where = torch.where(first > 0)  # expect: advice.where_indices
chosen = torch.where(first > 0, first, second)  # ok: advice.where_indices
wide = first.double()  # expect: advice.float64, api.limited
product = torch.baddbmm(first, first, first)  # expect: advice.baddbmm
activation = nn.SELU()  # expect: advice.selu
torch.use_deterministic_algorithms(True)  # expect: advice.deterministic, api.limited
for item in loader:
    print(item.item())  # ok: advice.host_read
