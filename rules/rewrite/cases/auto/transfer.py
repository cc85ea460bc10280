"""What transfer_to_npu does not redirect, or spoils."""
import torch  # expect: program.transfer
import torch.distributed as dist
from torch.utils._triton import has_triton

RUNS = "/data/cuda_runs/last.pt"


@torch.jit.script  # expect: transfer.jit
def scaled(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


state = torch.load("/data/cuda_runs/first.pt")  # expect: transfer.path, load.map_location
state = torch.load(RUNS)  # expect: transfer.path
state = torch.load(f"/data/{len(RUNS)}/npu.pt")
state = torch.load(f"/data/cuda_{len(RUNS)}.pt")  # expect: transfer.path
dist.init_process_group("nccl", init_method="file:///share/nccl")  # expect: backend.string, transfer.init_method, advice.choose_device
if has_triton():  # expect: transfer.triton
    pass
