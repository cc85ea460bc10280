from common import *
import torch_npu
if torch.npu.is_available():
    torch.npu.empty_cache()
