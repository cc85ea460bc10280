# default style: is_available() is renamed, "cuda" in the same expression is not -> device "cuda" on an NPU machine
import torch
import torch_npu
def run():
    for device in ["cpu"] + (["npu"] if torch.npu.is_available() else []):
        x = torch.zeros(3, device=device)
    for dev in ["cpu"] + ["npu"] if torch.npu.is_available() else []:
        x = torch.zeros(3).to(dev)
def copy(t, dst):
    dst = torch.device(dst)
    src = t.device
    if src.type == "npu" and dst.type == "cpu":
        return 1
    elif src.type == "cpu" and dst.type == "npu":
        return 2
