"""Runs a program of Megatron-LM on NPUs: MegatronAdaptor is imported first, which replaces what is for CUDA. Megatron's files stay as they are.

    torchrun ... start_megatron.py pretrain_gpt.py OPTIONS      in the directory of Megatron-LM
"""

import os
import runpy
import sys

import torch  # noqa: F401  before the adaptor, which changes it
import megatron_adaptor  # noqa: F401

sys.argv.pop(0)
sys.path.insert(0, os.getcwd())
runpy.run_path(sys.argv[0], run_name="__main__")
