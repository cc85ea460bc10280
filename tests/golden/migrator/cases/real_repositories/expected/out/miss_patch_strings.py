# mock.patch of torch.cuda through a module of the project: silent, while the code moves to torch.npu
from unittest import mock
from unittest.mock import patch
import torch
import torch_npu

@patch("torch.npu.empty_cache")
@patch("mypkg.train.torch.npu.empty_cache")
def test_a(m1, m2):
    with mock.patch("mypkg.train.torch.npu.is_available", return_value=False):
        pass
    with patch("torch.Tensor.cuda", lambda self: self), patch("torch.cuda.cudart"), patch("torch.cuda.check_error"):
        pass

def f(tensors):
    return any(getattr(t, "is_npu", False) for t in tensors) and hasattr(tensors[0], "npu")
