import threading
import torch
import torch_npu
import torch.multiprocessing as mp


def work(device, size):
    return torch.ones(size, device=device)


def main(rank, device):
    return torch.ones(rank, device=device)


settings = dict(device="npu", dtype=torch.float32)  # expect: device.string
torch.ones(2, **settings)
more = {"size": 3, "device": "npu"}  # expect: device.string
work(**{**more})
threading.Thread(target=work, args=("npu", 3)).start()  # expect: device.string
mp.Process(target=work, kwargs={"size": 1, "device": "npu"}).start()  # expect: device.string
mp.spawn(main, args=("npu",), nprocs=2)  # expect: device.string

dtypes = dict(npu=torch.bfloat16, cpu=torch.float32)  # expect: device.string
x = torch.ones(2).npu()  # expect: method.cuda
x.to(dtypes[x.device.type])
names = dict(cuda="own")
print(names["cuda"])


class Wrapper:
    def __init__(self, net):
        self.net = net

    def __getattr__(self, name):
        return getattr(self.__dict__["net"], name)


class Own:
    def cuda(self):
        return self

    def __getattr__(self, name):
        return name


Wrapper(torch.nn.Linear(2, 2)).cuda()  # expect: method.cuda
Own().cuda()

x = getattr(x, "npu")()  # expect: method.cuda
for move in ("float", "cuda"):  # expect: device.string
    net = getattr(torch.nn.Linear(2, 1), move)()
getattr(Own(), "cuda")()
