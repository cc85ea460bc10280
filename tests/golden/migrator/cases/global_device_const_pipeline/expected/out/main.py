import yaml
import torch
import torch_npu
from consts import DEVICE
cfg = yaml.safe_load(open("conf.yaml"))
if cfg["device"] == "npu":
    x = torch.ones(1).to(cfg["device"])
if DEVICE == "npu":
    x = torch.ones(1, device=DEVICE)
