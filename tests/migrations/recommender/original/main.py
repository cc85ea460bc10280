import numpy as np
import torch
import torch.nn as nn

from table import Tables


class Ranker(nn.Module):
    def __init__(self, counts, size):
        super().__init__()
        self.tables = Tables(counts, size)
        self.layers = nn.Sequential(nn.Linear(size * len(counts), 256), nn.ReLU(), nn.Linear(256, 1), nn.Sigmoid())

    def forward(self, ids, offsets):
        return self.layers(self.tables(ids, offsets)).squeeze(1)


def main():
    use_gpu = torch.cuda.is_available()
    device = torch.device("cuda", 0) if use_gpu else torch.device("cpu")
    model = Ranker([100000, 50000], 64).to(device)
    optimizer = torch.optim.SparseAdam(list(model.tables.parameters()))
    dense = torch.optim.Adagrad(model.layers.parameters())
    loss_fn = nn.BCELoss()
    data = np.load("clicks.npz")
    total = 0.0
    for start in range(0, len(data["ids"]), 2048):
        ids = torch.from_numpy(data["ids"][start : start + 2048]).long().to(device)
        offsets = torch.arange(ids.size(0), dtype=torch.int64).to(device)
        clicks = torch.from_numpy(data["clicks"][start : start + 2048]).float().to(device)
        loss = loss_fn(model(ids, offsets), clicks)
        optimizer.zero_grad()
        dense.zero_grad()
        loss.backward()
        optimizer.step()
        dense.step()
        total += loss.item()
        if use_gpu:
            torch.cuda.synchronize()
    print(total)
    torch.save(model.state_dict(), "ranker.pt")


if __name__ == "__main__":
    main()
