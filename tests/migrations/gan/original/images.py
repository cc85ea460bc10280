import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, path):
        self.images = torch.load(path + "/images.pt")
        self.labels = torch.load(path + "/labels.pt")

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index].float()
