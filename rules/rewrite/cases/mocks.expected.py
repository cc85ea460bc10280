from unittest import mock
from unittest.mock import MagicMock, create_autospec

model = mock.MagicMock()
model.npu = mock.MagicMock(return_value=model)  # expect: mock.cuda
model.npu.assert_called_once()  # expect: mock.cuda
tensor = MagicMock(device="meta")
tensor.is_npu = True  # expect: mock.is_cuda
layer = create_autospec(object)
layer.npu.return_value = layer  # expect: mock.cuda


class Own:
    cuda = 1


Own().cuda
