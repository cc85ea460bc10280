import cudnn  # expect: third_party.unsupported
import emerging_optimizers  # expect: third_party.unknown
import modelopt.torch.quantization as mtq  # expect: third_party.unknown
import nixl  # expect: third_party.unsupported
import nvidia_resiliency_ext.checkpointing  # expect: third_party.unsupported
import torch_memory_saver  # expect: third_party.ascend_fork
import transformer_engine_torch as tex  # expect: third_party.unsupported
import tritonclient.http  # ok: third_party.unknown
from fast_hadamard_transform import hadamard_transform  # expect: third_party.unsupported
