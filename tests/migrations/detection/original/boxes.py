import json

import torch
from torch.utils.data import Dataset


class Boxes(Dataset):
    def __init__(self, path):
        with open(path) as file:
            self.items = json.load(file)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        item = self.items[index]
        return torch.tensor(item["image"]), torch.tensor(item["boxes"]), torch.tensor(item["labels"]).long()


def collate(batch):
    images = torch.stack([item[0] for item in batch])
    most = max(len(item[1]) for item in batch)
    boxes = torch.zeros(len(batch), most, 4)
    labels = torch.full((len(batch), most), -1, dtype=torch.int64)
    for i, (_, box, label) in enumerate(batch):
        boxes[i, : len(box)] = box
        labels[i, : len(label)] = label
    return images, boxes, labels
