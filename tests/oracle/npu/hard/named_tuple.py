import collections
import torch

Place = collections.namedtuple("Place", ["device", "index"])
place = Place("cuda", 0)
print(torch.ones(2, device=torch.device(place.device, place.index)).sum().item())
