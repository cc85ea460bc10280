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
h = torch.load("x.pt", map_location={"npu:0": "npu:1"})  # expect: device.string, device.string
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
    cfg = yaml.safe_load("device: cuda")  # ok: device.string
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
