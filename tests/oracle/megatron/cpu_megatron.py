"""Lets megatron-core run on a CPU in this process: what it asks of CUDA gets an answer that needs none.

The changes are made from outside and in the processes of the ranks only. megatron-core itself stays as it was installed.
"""

import functools
import queue

import numpy as np
import torch


def patch():
    # Norms, embeddings and buffers are made on the "current device"; a device may be given by name.
    torch.cuda.current_device = lambda: "cpu"
    torch.cuda.synchronize = lambda *arguments: None
    torch.cuda.get_rng_state = lambda *arguments: torch.get_rng_state()
    torch.cuda.set_rng_state = lambda *arguments: None
    torch.Tensor.cuda = lambda self, *arguments, **options: self
    # The random states of tensor-parallel regions are states of a GPU; inference has a tracker that does nothing.
    from megatron.core.tensor_parallel import random
    random.initialize_rng_tracker(use_te_rng_tracker=False, inference_rng_tracker=True)
    patch_missing_transformer_engine()
    patch_linear_attention()


def patch_missing_transformer_engine():
    """0.16.1 stumbles over the absence of TransformerEngine in two places: a type that is a mock, and a missing name."""
    from megatron.core.transformer import multi_latent_attention
    from megatron.core.transformer.moe import moe_utils
    if not isinstance(getattr(multi_latent_attention, "TELinear", object), type):
        multi_latent_attention.TELinear = type("NoSuchLinear", (), {})
    if not hasattr(moe_utils, "te_general_gemm"):
        moe_utils.te_general_gemm = None


def patch_linear_attention():
    """Gated delta nets want kernels for a GPU, of which their plain torch code uses one function."""
    try:
        from megatron.core.ssm import gated_delta_net
    except ImportError:
        return  # 0.12.1 does not have them
    gated_delta_net.HAVE_FLA = True
    gated_delta_net.l2norm = lambda x: x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)


def patch_writer():
    """Lets the torch_dist writer run with fewer processes, and with a torch that is newer than it."""
    from torch.distributed.checkpoint.filesystem import SerializationFormat
    from megatron.core.dist_checkpointing.strategies import filesystem_async
    # One server process per save, for a queue that this process alone uses.
    filesystem_async._get_write_results_queue = queue.Queue
    # torch 2.7 gave its function a further parameter, which 0.12.1 does not pass.
    filesystem_async._write_item = functools.partial(filesystem_async._write_item,
                                                     serialization_format=SerializationFormat.TORCH_SAVE)
    # Before numpy 2 it had a second name, by which 0.12.1 calls it.
    np.product = np.prod


def unfused():
    """TransformerConfig arguments that choose plain torch code in float32."""
    return {
        "use_cpu_initialization": True,
        "perform_initialization": False,
        "pipeline_dtype": torch.float32,
        "params_dtype": torch.float32,
        "hidden_dropout": 0.0,
        "attention_dropout": 0.0,
        "masked_softmax_fusion": False,
        "bias_activation_fusion": False,
        "bias_dropout_fusion": False,
        "apply_rope_fusion": False,
        "gradient_accumulation_fusion": False,
        "persist_layer_norm": False,
    }
