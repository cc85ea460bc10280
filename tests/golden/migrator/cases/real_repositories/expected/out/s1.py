import torch
import torch_npu
from megatron.core.transformer.spec_utils import build_module
from megatron.core.extensions.transformer_engine import TENorm
def f(spec, config):
    a = build_module(spec, config=config).npu()
    b = TENorm(config=config, hidden_size=3).npu()
    c = build_module(spec)
    c.npu()
    return a, b, c
