import argparse
import torch
import torch_npu
from refit import get_or_create_service
p = argparse.ArgumentParser()
p.add_argument('--refit-method', type=str, default='gloo', choices=['hccl', 'gloo', 'nvshmem'])
args = p.parse_args()
get_or_create_service(args.refit_method)
