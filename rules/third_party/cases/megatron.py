import torch
from megatron.core import parallel_state  # expect: third_party.megatron_on_mindspeed
