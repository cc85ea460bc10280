"""One process, all the GPUs there are: DataParallel in the manner of older research code."""

import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--gpu-ids", type=str, default="0", help="use which gpu to train, must be a comma-separated list of integers")
parser.add_argument("--workers", type=int, default=1)
args = parser.parse_args()
args.cuda = torch.cuda.is_available()
args.gpu_ids = [int(s) for s in args.gpu_ids.split(",")]


class Curves(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, i):
        x = np.linspace(0, 1, 16, dtype=np.float32) * (i % 7 + 1)
        return torch.from_numpy(np.sin(x)), torch.tensor(float(i % 7))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


class Trainer:
    def __init__(self):
        torch.manual_seed(0)
        kwargs = {"num_workers": args.workers, "pin_memory": True} if args.cuda else {}
        self.loader = DataLoader(Curves(), batch_size=12, shuffle=True, **kwargs)
        self.model = Net()
        self.criterion = nn.SmoothL1Loss()
        if args.cuda:
            if torch.cuda.device_count() > 1:
                self.model = nn.DataParallel(self.model, device_ids=args.gpu_ids)
            self.model = self.model.cuda()
            self.criterion.cuda()
        self.optimizer = optim.RMSprop(self.model.parameters(), lr=1e-2)
        self.scheduler = optim.lr_scheduler.StepLR(self.optimizer, 1, 0.5)

    def epoch(self, number):
        for x, y in self.loader:
            if args.cuda:
                x, y = x.cuda(), y.cuda(non_blocking=True)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            print("epoch %d loss %.6f" % (number, loss.data.cpu().item()))
        self.scheduler.step()

    def save(self, path):
        module = self.model.module if isinstance(self.model, nn.DataParallel) else self.model
        torch.save(module.state_dict(), path)


trainer = Trainer()
for number in range(2):
    trainer.epoch(number)
trainer.save(os.path.join(".", "last.pth"))
weights = torch.load("last.pth") if args.cuda else torch.load("last.pth", map_location=torch.device("cpu"))
print("weights loss %.6f" % sum(value.float().sum().item() for value in weights.values()))
