from unittest import mock
from unittest.mock import MagicMock, create_autospec

model = mock.MagicMock()
model.cuda = mock.MagicMock(return_value=model)  # expect: mock.cuda
model.cuda.assert_called_once()  # expect: mock.cuda
tensor = MagicMock(device="meta")
tensor.is_cuda = True  # expect: mock.is_cuda
layer = create_autospec(object)
layer.cuda.return_value = layer  # expect: mock.cuda


class Own:
    cuda = 1


Own().cuda
