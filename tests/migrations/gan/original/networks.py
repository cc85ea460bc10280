import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3 + 5, 64, 7, 1, 3), nn.InstanceNorm2d(64, affine=True), nn.ReLU(),
                                    nn.Conv2d(64, 3, 7, 1, 3), nn.Tanh())

    def forward(self, x, c):
        c = c.view(c.size(0), c.size(1), 1, 1).repeat(1, 1, x.size(2), x.size(3))
        return self.layers(torch.cat([x, c], dim=1))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.01), nn.Conv2d(64, 1, 3, 1, 1))

    def forward(self, x):
        return self.layers(x)
