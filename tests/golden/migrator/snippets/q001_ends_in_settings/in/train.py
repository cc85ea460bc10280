import argparse, torch
p = argparse.ArgumentParser()
p.add_argument("--run-on")
a = p.parse_args()
torch.ones(1).to(a.run_on)
cfg = load("conf/run.yaml")
torch.zeros(1, device=cfg.place)
print(cfg.label)
