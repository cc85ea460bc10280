import argparse

import torch
import yaml

index = 1
a = torch.device("cuda")  # expect: device.string
b = torch.device("cuda:%d" % index)  # expect: device.string
c = torch.device("cuda:{}".format(index))  # expect: device.string
d = torch.device("cuda:" + str(index))  # expect: device.string
e = torch.device(f"cuda:{index}")  # expect: device.string
f = torch.device("{}:{}".format("cuda", index))  # expect: device.string
g = torch.zeros(1, device="cuda" if torch.cuda.is_available() else "cpu")  # expect: device.string, cuda.renamed
h = torch.load("x.pt", map_location={"cuda:0": "cuda:1"})  # expect: device.string, device.string
i = torch.load("x.pt", "cuda")  # expect: device.string
j = torch.zeros(1).to("cuda", non_blocking=True)  # expect: device.string
k = torch.device(type='cuda', index=0)  # expect: device.string
target = "cuda:0"  # expect: device.string
l = torch.zeros(1).to(target)
where = torch.device(2)  # expect: device.integer
m = torch.load("x.pt", map_location=2)  # expect: device.integer_map_location


class Config:
    device: str = "cuda"  # expect: device.string
    name = "cuda"  # expect: device.string


def build(model, local_device="cuda"):  # expect: device.string
    if model.device.type == "cuda" or "cuda" in str(model.device):  # expect: device.string, device.string
        return model.to(local_device)
    cfg = yaml.safe_load("device: cuda")  # expect: device.string
    if cfg["device"].startswith("cuda"):  # expect: device.string
        cfg["device"] = "cuda:0"  # expect: device.string
    return make(model, device="cuda")  # expect: device.string


def kind(device):
    match device.type:
        case "cuda" | "cpu":  # expect: device.string
            return {"cuda": 1, "cpu": 2}[device.type]  # expect: device.string
    for name in ["cuda", "cpu"]:  # expect: device.string
        yield torch.device(name)


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")  # expect: device.string, device.string
parser.add_argument("--cuda", action="store_true")  # ok: device.string
print("https://example.org/cuda:1", "'cuda'", "runs on cuda", b"cuda")  # ok: device.string
table = {"cuda": True}
table["cuda"] = getattr(parser, "cuda", None)  # ok: device.string


def moved(x, rank=0):
    x = torch.zeros(2, device=0)  # expect: device.integer_argument
    x = x.to(0).to(int(rank))  # expect: device.integer_move, device.integer_move
    x.to(torch.float16).to(rank, True)  # expect: device.integer_move
    return x.new_zeros(2, device=1), torch.Generator(device=2)  # expect: device.integer_method, device.integer_move


def by_name():
    which = "cuda"  # expect: device.string
    getattr(torch, which).empty_cache()  # expect: cuda.renamed
    torch.__dict__["cuda"].synchronize()  # expect: device.string, cuda.renamed
    match x:
        case torch.device(type="cuda"):  # expect: device.string
            eval("torch.cuda.is_available()")  # expect: cuda.renamed
    exec("import torch; torch.cuda.empty_cache(); x.cuda()")  # expect: cuda.renamed, method.cuda
    print("import things from the web", "Import torch.cuda first")  # ok: cuda.renamed


def out_of_memory(error):
    return "CUDA out of memory" in str(error)  # expect: cuda.message

torch.cuda.set_device("cuda:{}".format(0))  # expect: cuda.renamed, device.string
print(torch.cuda.get_device_properties("cuda:0").name)  # expect: cuda.renamed, device.string


import dataclasses
import typing
from dataclasses import field
from typing import Literal


@dataclasses.dataclass
class Settings:
    device: str = field(default="cuda", metadata={"help": "cuda or cpu"})  # expect: device.string
    name: str = field(default="cuda")  # expect: device.string
    device_kind: typing.Optional[Literal["cuda", "cpu"]] = "cuda"  # expect: device.string, device.string
    any_device: typing.Union[typing.Literal["cuda"], None] = "cuda"  # expect: device.string, device.string
    some_device: Literal["cuda", "cpu"] = dataclasses.field(default="cuda")  # expect: device.string, device.string


def first(trainer, device: Literal["cuda"]):  # expect: device.string
    return trainer.parallel_devices[0].type == "cuda"  # expect: device.string
