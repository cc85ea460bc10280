"""Trains."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


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
    print("epoch", epoch, total)


def evaluate(model, loader, device):
    model.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x.to(device)), y.to(device)).item() for x, y in loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    data = TensorDataset(torch.arange(40.).reshape(10, 4) / 40, torch.arange(10.).reshape(10, 1))
    train_loader = DataLoader(data, batch_size=2, shuffle=True, drop_last=True)
    test_loader = DataLoader(data, batch_size=2)
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        train(model, train_loader, optimizer, device, epoch)
        print("test", evaluate(model, test_loader, device))
    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
