"""The content of a checkpoint file as Megatron's training writes it, as far as it can be had without training."""

import argparse
import enum
import random
import signal

import numpy as np
import torch

# What stands beside the weights:
#   plain     the weights and the arguments, the latter of Python's own types only
#   training  also the optimizer, the random states, and arguments of types that Megatron defines; beside the file the
#             state of a distributed optimizer, beside the directory that of an earlier iteration
FLAVOURS = ("plain", "training")


def arguments(description, topology, iteration, flavour):
    """The command-line arguments of the run, under the names that Megatron's parser gives them."""
    transformer, gpt = description["transformer"], description["gpt"]
    first, last = topology.uneven()
    chunks = topology.chunks(transformer["num_layers"])
    groups = transformer.get("num_query_groups", transformer["num_attention_heads"])
    # Without --group-query-attention the number of groups stays at the parser's default of 1, which then means nothing.
    grouped = flavour == "plain" or groups != transformer["num_attention_heads"]
    given = {
        "num_layers": transformer["num_layers"],
        "hidden_size": transformer["hidden_size"],
        "ffn_hidden_size": transformer["ffn_hidden_size"],
        "num_attention_heads": transformer["num_attention_heads"],
        "group_query_attention": grouped,
        "num_query_groups": groups if grouped else 1,
        "kv_channels": transformer.get("kv_channels"),
        "max_position_embeddings": gpt["max_sequence_length"],
        "seq_length": gpt["max_sequence_length"],
        "position_embedding_type": gpt["position_embedding_type"],
        "add_position_embedding": True,
        "use_rotary_position_embeddings": gpt["position_embedding_type"] == "rope",
        "rotary_base": int(gpt["rotary_base"]),
        "rotary_percent": gpt["rotary_percent"],
        "rotary_interleaved": transformer.get("rotary_interleaved", False),
        "normalization": transformer["normalization"],
        "norm_epsilon": transformer["layernorm_epsilon"],
        "apply_layernorm_1p": False,
        "swiglu": transformer["gated_linear_unit"] and "activation" not in transformer,
        "squared_relu": False,
        "add_bias_linear": transformer["add_bias_linear"],
        "add_qkv_bias": transformer.get("add_qkv_bias", False),
        "qk_layernorm": transformer.get("qk_layernorm", False),
        "untie_embeddings_and_output_weights": not gpt["share_embeddings_and_output_weights"],
        "vocab_size": None,
        "make_vocab_size_divisible_by": 128,
        "padded_vocab_size": description.get("padded_vocab", gpt["vocab_size"]),
        "tokenizer_type": "HuggingFaceTokenizer",
        "tensor_model_parallel_size": topology.tensor,
        "pipeline_model_parallel_size": topology.pipeline,
        "virtual_pipeline_model_parallel_size": chunks,
        "num_layers_per_virtual_pipeline_stage": topology.per_chunk,
        "decoder_first_pipeline_num_layers": first,
        "decoder_last_pipeline_num_layers": last,
        "account_for_embedding_in_pipeline_split": topology.account,
        "account_for_loss_in_pipeline_split": topology.account,
        "pipeline_model_parallel_layout": topology.layout or None,
        "expert_model_parallel_size": topology.expert,
        "expert_tensor_parallel_size": topology.expert_tensor or topology.tensor,
        "context_parallel_size": 1,
        "data_parallel_size": topology.stage_size // topology.tensor,
        "world_size": topology.world,
        "num_experts": transformer.get("num_moe_experts"),
        "moe_ffn_hidden_size": transformer.get("moe_ffn_hidden_size"),
        "moe_shared_expert_intermediate_size": transformer.get("moe_shared_expert_intermediate_size"),
        "moe_layer_freq": transformer.get("moe_layer_freq", 1),
        "moe_grouped_gemm": False,
        "multi_latent_attention": transformer.get("multi_latent_attention", False),
        "transformer_impl": "local",
        "ckpt_format": "torch",
        "iteration": iteration,
        "consumed_train_samples": 64 * iteration,
        "consumed_valid_samples": 0,
        "lr": 1.0e-4,
        "data_path": ["corpus_text_document"],
        "spec": None,
        "bf16": False,
        "fp16": False,
    }
    if flavour == "training":
        from megatron.core.transformer.enums import AttnBackend
        given.update(attention_backend=AttnBackend.auto, exit_signal=signal.SIGTERM, params_dtype=torch.float32,
                     main_grads_dtype=torch.float32, main_params_dtype=torch.float32)
        # Chunks can be asked for in two ways, of which this run took the other.
        given.update(num_layers_per_virtual_pipeline_stage=None, num_virtual_stages_per_pipeline_rank=chunks)
        assert isinstance(AttnBackend.auto, enum.Enum)
    return argparse.Namespace(**given)


def random_states():
    numpy_state = np.random.RandomState(7).get_state()
    return [{"random_rng_state": random.Random(7).getstate(), "np_rng_state": numpy_state,
             "torch_rng_state": torch.get_rng_state(), "cuda_rng_state": torch.get_rng_state(),
             "rng_tracker_states": {"model-parallel-rng": torch.get_rng_state()}}]


def optimizer_state(states):
    """Adam's state over float32 copies of the weights, in the structure of Float16OptimizerWithFloat16Params."""
    weights = [value for state in states.values() for value in state.values() if isinstance(value, torch.Tensor)]
    return {
        "optimizer": {
            "state": {number: {"exp_avg": torch.zeros_like(value), "exp_avg_sq": torch.ones_like(value)}
                      for number, value in enumerate(weights)},
            "param_groups": [{"lr": 1.0e-4, "betas": (0.9, 0.95), "eps": 1.0e-8, "weight_decay": 0.1, "wd_mult": 1.0,
                              "lr_mult": 1.0, "is_expert": False, "step": 3, "params": list(range(len(weights)))}],
        },
        "grad_scaler": {},
        "fp32_from_fp16_params": [[value.clone() for value in weights]],
    }


def content(states, description, topology, iteration, flavour):
    """The whole value that torch.save gets; `states` are the state dicts of the chunks by their keys."""
    assert flavour in FLAVOURS
    value = {
        "args": arguments(description, topology, iteration, flavour),
        "checkpoint_version": 3.0,
        "iteration": iteration,
        "num_floating_point_operations_so_far": 10**15,
        **states,
    }
    if flavour == "training":
        value["optimizer"] = optimizer_state(states)
        value["opt_param_scheduler"] = {"max_lr": 1.0e-4, "lr_warmup_steps": 0, "num_steps": 64, "lr_decay_style": "cosine"}
        value["rng_state"] = random_states()
        value["rerun_state_machine"] = {"mode": "disabled", "state": None, "current_iteration": iteration}
    return value


def dist_content(description, topology, iteration, place):
    """What stands beside the weights in a torch_dist checkpoint; `place` is (pipeline rank, tensor rank)."""
    from megatron.core import parallel_state
    from megatron.core.dist_checkpointing.mapping import ShardedObject
    given = arguments(description, topology, iteration, "training")
    given.ckpt_format = "torch_dist"
    # Each rank's random states are an object of their own, of which ranks with other experts have copies.
    copy = parallel_state.get_data_parallel_rank()
    states = ShardedObject("rng_state", random_states(), (topology.pipeline, topology.tensor), place, replica_id=copy)
    return {"args": given, "checkpoint_version": 3.0, "iteration": iteration, "num_floating_point_operations_so_far": 10**15,
            "rng_state": states}


def save_options(flavour):
    """Megatron saves with torch's own protocol, MindSpeed-LLM with protocol 4."""
    return {} if flavour == "plain" else {"pickle_protocol": 4}


def write_beside(target, flavour):
    """Files that are no weights, in the rank's directory and in that of an iteration before."""
    if flavour == "training":
        torch.save({"state": [torch.zeros(3)]}, target / "distrib_optim.pt")
        before = target.parent.parent / "iter_0000001" / target.name
        before.mkdir(parents=True)
        torch.save({"args": None, "model": {}}, before / "model_optim_rng.pt")


def write_tracker(directory, iteration):
    (directory / "latest_checkpointed_iteration.txt").write_text(str(iteration))
