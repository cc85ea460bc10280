import argparse

import torch
import torch_npu
import yaml

index = 1
a = torch.device("npu")  # expect: device.string
b = torch.device("npu:%d" % index)  # expect: device.string
c = torch.device("npu:{}".format(index))  # expect: device.string
d = torch.device("npu:" + str(index))  # expect: device.string
e = torch.device(f"npu:{index}")  # expect: device.string
f = torch.device("{}:{}".format("npu", index))  # expect: device.string
g = torch.zeros(1, device="npu" if torch.npu.is_available() else "cpu")  # expect: device.string, cuda.renamed
h = torch.load("x.pt", map_location={"cuda:0": "npu:1", "npu:0": "npu:1"})  # expect: device.string, device.string
i = torch.load("x.pt", "npu")  # expect: device.string
j = torch.zeros(1).to("npu", non_blocking=True)  # expect: device.string
k = torch.device(type='npu', index=0)  # expect: device.string
target = "npu:0"  # expect: device.string
l = torch.zeros(1).to(target)
where = torch.device(2)  # expect: device.integer
m = torch.load("x.pt", map_location=2)  # expect: device.integer_map_location


class Config:
    device: str = "npu"  # expect: device.string
    name = "cuda"  # expect: device.string


def build(model, local_device="npu"):  # expect: device.string
    if model.device.type == "npu" or "npu" in str(model.device):  # expect: device.string, device.string
        return model.to(local_device)
    cfg = yaml.safe_load("device: npu")  # expect: device.string
    if cfg["device"].startswith("npu"):  # expect: device.string
        cfg["device"] = "npu:0"  # expect: device.string
    return make(model, device="cuda")  # expect: device.string


def kind(device):
    match device.type:
        case "npu" | "cpu":  # expect: device.string
            return {"npu": 1, "cpu": 2}[device.type]  # expect: device.string
    for name in ["npu", "cpu"]:  # expect: device.string
        yield torch.device(name)


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="npu", choices=["npu", "cpu"], help="cuda or cpu")  # expect: device.string, device.string
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
    which = "npu"  # expect: device.string
    getattr(torch, which).empty_cache()  # expect: cuda.renamed
    torch.__dict__["npu"].synchronize()  # expect: device.string, cuda.renamed
    match x:
        case torch.device(type="npu"):  # expect: device.string
            eval("torch.npu.is_available()")  # expect: cuda.renamed
    exec("import torch; torch.npu.empty_cache(); x.cuda()")  # expect: cuda.renamed, method.cuda
    print("import things from the web", "Import torch.cuda first")  # ok: cuda.renamed


def out_of_memory(error):
    return "NPU out of memory" in str(error)  # expect: cuda.message

torch.npu.set_device("npu:{}".format(0))  # expect: cuda.renamed, device.string
print(torch.npu.get_device_properties("npu:0").name)  # expect: cuda.renamed, device.string


import dataclasses
import typing
from dataclasses import field
from typing import Literal


@dataclasses.dataclass
class Settings:
    device: str = field(default="npu", metadata={"help": "cuda or cpu"})  # expect: device.string
    name: str = field(default="cuda")  # expect: device.string
    device_kind: typing.Optional[Literal["cuda", "cpu"]] = "cuda"  # expect: device.string, device.string
    any_device: typing.Union[typing.Literal["npu"], None] = "npu"  # expect: device.string, device.string
    some_device: Literal["npu", "cpu"] = dataclasses.field(default="npu")  # expect: device.string, device.string


def first(trainer, device: Literal["npu"]):  # expect: device.string
    return trainer.parallel_devices[0].type == "npu"  # expect: device.string
