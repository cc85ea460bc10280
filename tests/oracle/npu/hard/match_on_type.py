import torch


def name(x):
    match x.device.type:
        case "cuda":
            return "accelerator"
        case "cpu":
            return "host"
    return "other"


found = name(torch.ones(1).cuda())
assert found == "accelerator", found
print(found)
