"""Builds the chunks of a GPTModel that this rank holds, and passes activations through all chunks of all ranks."""

import copy
import dataclasses
import functools
import inspect

import torch
import torch.nn.functional
from megatron.core import parallel_state
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt import gpt_layer_specs
from megatron.core.tensor_parallel import ColumnParallelLinear, RowParallelLinear
from megatron.core.models.gpt.heterogeneous.heterogeneous_layer_specs import get_gpt_heterogeneous_layer_spec
from megatron.core.transformer import transformer_layer
from megatron.core.transformer.heterogeneous.heterogeneous_config import HeterogeneousTransformerConfig
from megatron.core.transformer.spec_utils import ModuleSpec
from megatron.core.transformer.transformer_config import MLATransformerConfig, TransformerConfig

from cpu_megatron import unfused


class LatentCore(torch.nn.Module):
    """Attention for multi-head latent attention, whose values are narrower than its keys: Megatron's own needs a GPU for it."""

    def __init__(self, config, softmax_scale=None, **others):
        super().__init__()
        self.scale = softmax_scale

    def forward(self, query, key, value, attention_mask, **others):
        scores = torch.einsum("sbhd,tbhd->bhst", query, key) * self.scale
        weights = scores.masked_fill(attention_mask, float("-inf")).softmax(-1)
        return torch.einsum("bhst,tbhd->sbhd", weights, value).flatten(2)


class OnePlusNorm(torch.nn.Module):
    """An RMS norm that multiplies by 1 + weight: Megatron's own needs TransformerEngine for it."""

    def __init__(self, config, hidden_size, eps=1e-5, **others):
        super().__init__()
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (1 + self.weight)


def known(kind, arguments):
    """The arguments that this release of megatron-core has. One that matters and is missing shows in the logits."""
    names = {field.name for field in dataclasses.fields(kind)}
    return {name: value for name, value in arguments.items() if name in names}


ACTIVATIONS = {
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": functools.partial(torch.nn.functional.gelu, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
}


def make_config(description, topology):
    first, last = topology.uneven()
    arguments = {
        **unfused(),
        **description["transformer"],
        "activation_func": ACTIVATIONS[description["transformer"].get("activation", "silu")],
        "tensor_model_parallel_size": topology.tensor,
        "pipeline_model_parallel_size": topology.pipeline,
        "expert_model_parallel_size": topology.expert,
        "expert_tensor_parallel_size": topology.expert_tensor or topology.tensor,
        "virtual_pipeline_model_parallel_size": topology.chunks(description["transformer"]["num_layers"]),
        "num_layers_in_first_pipeline_stage": first,
        "num_layers_in_last_pipeline_stage": last,
        "account_for_embedding_in_pipeline_split": topology.account,
        "account_for_loss_in_pipeline_split": topology.account,
        "pipeline_model_parallel_layout": topology.layout or None,
        "sequence_parallel": topology.tensor > 1 and topology.expert > 1,
    }
    kind = MLATransformerConfig if arguments.get("multi_latent_attention") else TransformerConfig
    if "heterogeneous_layers_config_encoded_json" in arguments:
        kind = HeterogeneousTransformerConfig
    config = kind(**known(kind, arguments))
    # 0.12.1 insists on it when both kinds of parallelism are used; the logits are the same without.
    config.sequence_parallel = False
    return config


def use_one_plus_norms(spec):
    """Norms that multiply by 1 + weight everywhere."""
    spec.layer_norm = OnePlusNorm
    for layer in spec.layer_specs:
        parts = layer.submodules
        parts.input_layernorm = parts.pre_mlp_layernorm = OnePlusNorm
        if hasattr(parts.self_attention.submodules, "q_layernorm"):
            parts.self_attention.submodules.q_layernorm = parts.self_attention.submodules.k_layernorm = OnePlusNorm


def layer_spec(config, chunk, description):
    """The layers in Megatron's own modules, without TransformerEngine."""
    if isinstance(config, HeterogeneousTransformerConfig):
        return get_gpt_heterogeneous_layer_spec(config)
    if config.num_moe_experts is None and not getattr(config, "linear_attention_freq", None):
        spec = gpt_layer_specs.get_gpt_layer_local_spec(normalization="RMSNorm", qk_layernorm=config.qk_layernorm,
                                                        multi_latent_attention=config.multi_latent_attention)
        layers = [spec]
    else:
        make = gpt_layer_specs.get_gpt_decoder_block_spec
        staged = {"vp_stage": chunk} if "vp_stage" in inspect.signature(make).parameters else {}
        spec = make(config, use_transformer_engine=False, normalization="RMSNorm", **staged)
        layers = spec.layer_specs
    for layer in layers:
        mlp = layer.submodules.mlp
        shared = getattr(mlp.submodules, "shared_experts", None)
        if shared is not None and "gate" in shared.params:
            # In 0.12.1 the gate of the shared experts is chosen here, later in the configuration.
            shared.params["gate"] = description.get("moe_shared_expert_gate", False)
        if config.multi_latent_attention:
            layer.submodules.self_attention.submodules.core_attention = LatentCore
    if getattr(config, "linear_attention_freq", None):
        use_linear_attention(config, spec, chunk)
    if description.get("one_plus_norms") or getattr(config, "linear_attention_freq", None):
        use_one_plus_norms(spec)
    return spec


# The name in distributed checkpoints of the norm before linear attention, and of those before linear layers in the place of others.
LINEAR_NORM = {"input_layernorm.": "self_attention.in_proj.layer_norm_"}
REPLACED = {"input_layernorm.": "self_attention.layer_norm_", "pre_mlp_layernorm.": "mlp.layer_norm_"}


def use_linear_attention(config, spec, chunk):
    """Gated delta nets in the layers that have them."""
    from megatron.core.ssm.gated_delta_net import GatedDeltaNet, GatedDeltaNetSubmodules
    first = transformer_layer.get_transformer_layer_offset(config, vp_stage=chunk)
    # The layers of one kind share their spec.
    spec.layer_specs = [copy.deepcopy(layer) for layer in spec.layer_specs]
    for number, layer in enumerate(spec.layer_specs):
        parts = layer.submodules
        if config.linear_attention_freq[first + number]:
            parts.self_attention = ModuleSpec(module=GatedDeltaNet, submodules=GatedDeltaNetSubmodules(
                in_proj=ColumnParallelLinear, out_norm=OnePlusNorm, out_proj=RowParallelLinear))
            parts.sharded_state_dict_keys_map = {**parts.sharded_state_dict_keys_map, **LINEAR_NORM}


def select_chunk(chunk):
    """0.12.1 keeps the number of the chunk that is being built or run in a global variable."""
    if chunk is not None:
        parallel_state.set_virtual_pipeline_model_parallel_rank(chunk)


def build(description, topology, padded_vocab=None):
    """This rank's chunks, in their order; every parameter is NaN until something is loaded."""
    config = make_config(description, topology)
    stage, last = parallel_state.get_pipeline_model_parallel_rank(), topology.pipeline - 1
    count = topology.chunks(config.num_layers)
    models = []
    for chunk in range(count or 1):
        number = None if count is None else chunk
        select_chunk(number)
        arguments = dict(description["gpt"], parallel_output=False, pre_process=stage == 0 and chunk == 0,
                         post_process=stage == last and chunk == (count or 1) - 1)
        if padded_vocab:
            arguments["vocab_size"] = padded_vocab
        if "vp_stage" in inspect.signature(GPTModel.__init__).parameters:
            arguments["vp_stage"] = number
        own = copy.deepcopy(config)
        spec = layer_spec(own, number, description["transformer"])
        models.append(GPTModel(own, spec, **arguments).eval())
    with torch.no_grad():
        for model in models:
            for parameter in model.parameters():
                parameter.fill_(float("nan"))
    return models


def with_own_norms(weights):
    """Weights with the norms named as in Megatron's own layers; TransformerEngine joins them with the next linear layer.

    The two names of one thing are Megatron's: its own layers use TransformerEngine's in distributed checkpoints.
    """
    layer = gpt_layer_specs.get_gpt_layer_local_spec(normalization="RMSNorm")
    own = {joined: name for names in (layer.submodules.sharded_state_dict_keys_map, LINEAR_NORM, REPLACED) for name, joined in names.items()}
    renamed = {}
    for key, value in weights.items():
        for joined, name in own.items():
            key = key.replace("." + joined, "." + name)
        renamed[key] = value
    return renamed


# Mistakes that leave every name and every shape right: what they do to a tensor of the first layer. Heads have 16 rows here.
MISTAKES = {
    "gate and up exchanged": ("mlp.linear_fc1.weight", lambda value: value.roll(value.shape[0] // 2, 0)),
    "query heads exchanged": ("self_attention.linear_qkv.weight", lambda value: torch.cat([value[16:32], value[:16], value[32:]])),
    "rows of a head exchanged": ("self_attention.linear_qkv.weight", lambda value: torch.cat([value[1:2], value[:1], value[2:]])),
    "columns exchanged": ("self_attention.linear_proj.weight", lambda value: value.roll(1, 1)),
    "norm of ones": ("pre_mlp_layernorm.weight", torch.ones_like),
}


def disturb(models, kind):
    ending, change = MISTAKES[kind]
    with torch.no_grad():
        for model in models:
            for name, parameter in model.named_parameters():
                if name.endswith("layers.0." + ending):
                    parameter.copy_(change(parameter.clone()))


def forward(models, topology, ids):
    """The logits on the ranks of the last stage, None elsewhere. Activations visit the chunks of the pipeline in order."""
    batch, length = ids.shape
    positions = torch.arange(length).expand(batch, length)
    masked = torch.ones(length, length, dtype=torch.bool).triu(1).reshape(1, 1, length, length)
    stage, last = parallel_state.get_pipeline_model_parallel_rank(), topology.pipeline - 1
    within_stage = torch.distributed.get_rank() % topology.stage_size
    rank_of = lambda place: place * topology.stage_size + within_stage  # noqa: E731
    chunked = topology.chunks(models[0].config.num_layers) is not None
    with torch.no_grad():
        for number, model in enumerate(models):
            select_chunk(number if chunked else None)
            if not model.pre_process:
                hidden = torch.empty(length, batch, model.config.hidden_size)
                torch.distributed.recv(hidden, rank_of((stage - 1) % topology.pipeline))
                model.set_input_tensor(hidden)
            out = model(ids, positions, masked)
            if model.post_process:
                return out.float()
            torch.distributed.send(out.contiguous(), rank_of((stage + 1) % topology.pipeline))
    assert stage != last or chunked
    return None
