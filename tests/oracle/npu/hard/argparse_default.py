import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", type=str)
args = parser.parse_args([])
x = torch.ones(2, device=args.device)
print((x * 2).sum().item())
