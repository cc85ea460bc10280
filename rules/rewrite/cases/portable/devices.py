"""One code for NPU, CUDA and CPU."""
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])  # expect: device.string, device.string
args = parser.parse_args()


def place(rank, net, batch, stream):
    first = torch.device("cuda:0")  # expect: device.string
    own = torch.device(f"cuda:{rank}")  # expect: device.string
    old = torch.device("cuda:%d" % rank)  # expect: device.string
    named = torch.device("cuda:{}".format(rank))  # expect: device.string
    joined = torch.device("cuda:" + str(rank))  # expect: device.string
    raw = torch.device(r'cuda'":0")  # expect: device.string
    if first.type=="cuda" or own.type in("cuda", "cpu"):  # expect: device.string, device.string
        net = net.cuda()  # expect: method.cuda
    batch = batch.cuda(rank, True)  # expect: method.cuda
    batch = batch.cuda(non_blocking=True)  # expect: method.cuda
    batch = batch.cuda(device=  # expect: method.cuda
                       "cuda:1")  # expect: device.string
    batch = batch.cuda(*args.where)  # expect: method.cuda
    weights = torch.load("w.pt", map_location={"cuda:0": f"cuda:{rank}"})  # expect: device.string, device.string
    match first.type:
        case "cuda":  # expect: device.string
            pass
    return [named, joined, raw, old], torch.zeros(1).is_cuda, batch.is_cuda, stream.cuda_stream  # expect: method.is_cuda, method.is_cuda, method.cuda_stream


def start(kind):
    dist.init_process_group("nccl" if dist.is_nccl_available() else "gloo")  # expect: backend.string, backend.renamed
    dist.new_group(backend="cpu:gloo,cuda:nccl")  # expect: backend.string
    assert kind == dist.Backend.NCCL  # expect: backend.renamed
    return torch.zeros(1).type() == "torch.cuda.FloatTensor"  # expect: cuda.type_name


def from_settings(cfg, name="cuda"):  # expect: device.string
    kind = "cuda" if cfg.gpu else "cpu"  # expect: device.string
    dist.init_process_group(backend=cfg["backend"])  # expect: backend.computed
    state = torch.load("w.pt", map_location=lambda storage, place: storage.cuda(0))  # expect: method.cuda
    return torch.device(cfg.device), torch.device(name), torch.device(kind), state  # expect: device.computed, device.computed
