import torch.utils.data
import torchvision.datasets as datasets
import torchvision.transforms as transforms


def make_loader(path):
    data = datasets.ImageFolder(path, transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()]))
    sampler = torch.utils.data.distributed.DistributedSampler(data)
    return torch.utils.data.DataLoader(data, batch_size=256, sampler=sampler, num_workers=16, pin_memory=True, drop_last=True, persistent_workers=True)  # hand: dataloader
