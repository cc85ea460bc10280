import cv2
import numpy as np
import torch
import torch.distributed as dist
from PIL import Image
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms  # expect: third_party.ascend_fork


class Files(Dataset):
    def __init__(self, files):
        self.files = files
        self.first = Image.open(files[0])  # ok: advice.decode_in_dataset

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = Image.open(self.files[i])  # expect: advice.decode_in_dataset
        mask = cv2.imread(self.files[i] + ".png")  # ok: advice.decode_in_dataset
        tensors = torch.load(self.files[i] + ".pt", map_location="cpu")  # ok: advice.read_on_one_rank
        return torch.from_numpy(np.load(self.files[i] + ".npy")), tensors, image, mask  # ok: advice.read_on_one_rank


def train(net, files):
    dist.init_process_group("gloo")  # expect: advice.hccl_buffer, advice.hccl_network
    labels = np.load("labels.npy")  # ok: advice.read_on_one_rank
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))  # expect: advice.read_on_one_rank
    net = DistributedDataParallel(net, bucket_cap_mb=500)
    optimizer = torch.optim.AdamW(net.parameters())  # expect: affinity.adamw
    data = Files(files)
    data.prepared = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])  # expect: advice.transforms_on_host
    sampler = DistributedSampler(data)
    loader = DataLoader(data, sampler=sampler, num_workers=4, pin_memory=False, persistent_workers=True, drop_last=True)  # expect: advice.loader_no_pin_memory
    loader = DataLoader(data, sampler=sampler, num_workers=4, pin_memory=True, persistent_workers=False, drop_last=True)  # expect: advice.loader_no_persistent_workers
    loader = DataLoader(data, sampler=sampler, num_workers=0, pin_memory=True, persistent_workers=False, drop_last=True)  # expect: advice.loader_no_workers
    for x in loader:  # expect: advice.memory, advice.host_bound, advice.full_precision, advice.parallel
        net(x, labels).sum().backward()
        optimizer.step()
