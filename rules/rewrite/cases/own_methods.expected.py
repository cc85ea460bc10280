# A class of the project has a method of that name: objects of unknown class may be its.
import torch
import torch_npu


class Batch:
    def __init__(self, x):
        self.x = x

    def cuda(self):
        self.x = self.x.cuda()  # expect: method.cuda
        return self

    @property
    def is_cuda(self):
        return True


batch = Batch(torch.zeros(1))
batch = batch.cuda()  # ok: method.cuda
print(batch.is_cuda)  # ok: method.is_cuda
x = torch.zeros(1).npu()  # expect: method.cuda
