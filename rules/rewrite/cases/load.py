import numpy as np
import torch

a = torch.load("model.pt")  # expect: load.map_location
b = torch.load("model.pt", map_location="cpu")  # ok: load.map_location
c = torch.load("model.pt", "cpu")  # ok: load.map_location
d = np.load("values.npy")  # ok: load.map_location
