import argparse
import torch
p = argparse.ArgumentParser()
p.add_argument("--accel", choices=["cuda", "cpu"], default="cuda")
a = p.parse_args([])
x = torch.ones(1).to(a.accel)
if a.accel == "cuda":
    torch.cuda.empty_cache()
else:
    raise SystemExit("no accelerator")
