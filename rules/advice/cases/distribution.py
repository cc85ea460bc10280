import torch
import torch.distributed as dist
import torchvision  # expect: third_party.ascend_fork
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, data, optimizer):
    weights = torch.load("start.pt")  # expect: advice.read_on_one_rank, load.map_location
    more = torch.load("more.pt")  # ok: advice.read_on_one_rank
    model = DistributedDataParallel(model, bucket_cap_mb=500)
    FullyShardedDataParallel(model)  # expect: advice.fsdp_device
    FullyShardedDataParallel(model, device_id=torch.device("cpu"))  # ok: advice.fsdp_device
    loader = DataLoader(data, num_workers=2, persistent_workers=True, drop_last=True)  # expect: advice.loader_pin_memory
    for x in loader:  # expect: advice.memory, advice.host_bound, advice.full_precision
        x = x.to("cpu", non_blocking=False)  # ok: advice.non_blocking
        places = torch.arange(10, dtype=torch.long)  # expect: advice.int64_index
        places = torch.arange(10, dtype=torch.int32)  # ok: advice.int64_index
        image = torchvision.io.decode_jpeg(x, device="cpu")  # expect: advice.image_decode
        loss = torch.nn.GELU()(model(x)).sum()  # expect: advice.gelu_module, api.limited
        loss = torch.nn.GELU("tanh")(model(x)).sum()  # ok: advice.gelu_module
        loss.backward()
        optimizer.step()
