"""Trains."""
import argparse

import torch
import torch_npu
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

import atexit
import os

import torch
import torch.distributed
import torch.nn.parallel
import torch.utils.data.distributed


def setup_distributed():
    """Joins the processes that torchrun has started, each with a device of its own."""
    if torch.npu.is_available():
        torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
        torch.distributed.init_process_group("hccl")
    else:
        torch.distributed.init_process_group("gloo")
    atexit.register(torch.distributed.destroy_process_group)


def is_main_process():
    """True in the one process that prints and saves."""
    return os.environ.get("RANK", "0") == "0"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


def train(model, loader, optimizer, device, epoch):
    model.train()
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    if is_main_process(): print("epoch", epoch, total)


def evaluate(model, loader, device):
    model.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x.to(device)), y.to(device)).item() for x, y in loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("npu" if torch.npu.is_available() else "cpu")
    data = TensorDataset(torch.arange(40.).reshape(10, 4) / 40, torch.arange(10.).reshape(10, 1))
    train_loader = DataLoader(data, batch_size=2, shuffle=False, drop_last=True, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=True, drop_last=True))
    test_loader = DataLoader(data, batch_size=2)
    model = Net().to(device)
    ddp_model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        train_loader.sampler.set_epoch(epoch)
        train(ddp_model, train_loader, optimizer, device, epoch)
        if is_main_process(): print("test", evaluate(model, test_loader, device))
    if is_main_process(): torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    setup_distributed()
    main()
