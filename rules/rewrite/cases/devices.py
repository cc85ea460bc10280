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
    cfg = yaml.safe_load("device: cuda")  # ok: device.string
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
