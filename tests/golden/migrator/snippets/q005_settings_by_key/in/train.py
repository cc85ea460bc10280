import torch
import yaml
cfg = yaml.safe_load(open("conf.yaml"))
x = torch.ones(2, 4).to(cfg["train"]["place"])
if cfg["train"]["place"] == "cuda":
    torch.cuda.synchronize()
names = {"kind": "cuda"}
print(names["kind"], cfg.get("kind"))
y = torch.ones(1).to(cfg.get("where"))
