"""One code for NPU, CUDA and CPU."""
import argparse

import torch
import any_device
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--device", default=any_device.device_type, choices=[any_device.device_type, "cpu"])  # expect: device.string, device.string
args = parser.parse_args()


def place(rank, net, batch, stream):
    first = torch.device(f"{any_device.device_type}:0")  # expect: device.string
    own = torch.device(f"{any_device.device_type}:{rank}")  # expect: device.string
    old = torch.device(f"{any_device.device_type}:%d" % rank)  # expect: device.string
    named = torch.device(f"{any_device.device_type}:{{}}".format(rank))  # expect: device.string
    joined = torch.device(f"{any_device.device_type}:" + str(rank))  # expect: device.string
    raw = torch.device(fr'{any_device.device_type}'":0")  # expect: device.string
    if first.type==any_device.device_type or own.type in(any_device.device_type, "cpu"):  # expect: device.string, device.string
        net = net.to(device=any_device.device_type)  # expect: method.cuda
    batch = batch.to(device=any_device.device_of(rank), non_blocking=True)  # expect: method.cuda
    batch = batch.to(device=any_device.device_type, non_blocking=True)  # expect: method.cuda
    batch = batch.to(device=  # expect: method.cuda
                       any_device.device_of(f"{any_device.device_type}:1"))  # expect: device.string
    batch = batch.cuda(*args.where)  # expect: method.cuda
    weights = torch.load("w.pt", map_location={"cuda:0": f"{any_device.device_type}:{rank}", f"{any_device.device_type}:0": f"{any_device.device_type}:{rank}"})  # expect: device.string, device.string
    match first.type:
        case "cuda":  # expect: device.string
            pass
    return [named, joined, raw, old], any_device.is_on_device(torch.zeros(1)), any_device.is_on_device(batch), any_device.stream_handle(stream)  # expect: method.is_cuda, method.is_cuda, method.cuda_stream


def start(kind):
    dist.init_process_group(any_device.dist_backend if any_device.is_dist_backend_available() else "gloo")  # expect: backend.string, backend.renamed
    dist.new_group(backend=f"cpu:gloo,{any_device.device_type}:{any_device.dist_backend}")  # expect: backend.string
    assert kind == any_device.dist_backend  # expect: backend.renamed
    return torch.zeros(1).type() == f"torch.{any_device.device_type}.FloatTensor"  # expect: cuda.type_name


def from_settings(cfg, name=any_device.device_type):  # expect: device.string
    kind = any_device.device_type if cfg.gpu else "cpu"  # expect: device.string
    dist.init_process_group(backend=any_device.named(cfg["backend"]))  # expect: backend.computed
    state = torch.load("w.pt", map_location=lambda storage, place: storage.to(device=any_device.device_of(0)))  # expect: method.cuda
    return torch.device(any_device.named(cfg.device)), torch.device(any_device.named(name)), torch.device(kind), state  # expect: device.computed, device.computed
