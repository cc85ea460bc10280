import json
import torch

settings = json.loads('{"device": "cuda", "sizes": [2, 3]}')
print(torch.ones(*settings["sizes"], device=settings["device"]).sum().item())
