"""The table of model families: a tiny configuration for transformers, and what megatron-core must be told for the same model.

A row is here only when both frameworks compute the same function, so that equal logits prove the conversion. Left out:

* glm4, gemma2, gemma3, olmo2: norms after the attention and after the MLP, which Megatron's layer does not have;
* gemma: norms that multiply by 1 + w need TransformerEngine, and the embeddings are scaled by sqrt(hidden);
* granite, minicpm: factors on embeddings, residuals and logits that Megatron does not have;
* baichuan, chatglm3, internlm2, internlm3, qwen1: their code is not part of transformers (the reference of layout_oracle.py is
  for those);
* bloom: positions by a bias on the attention, which Megatron does not have;
* hunyuan_v1_dense: norms of queries and keys after the rotation, which Megatron does before it;
* cohere2: attention and MLP side by side;
* nemotron: LayerNorm that multiplies by 1 + w needs TransformerEngine;
* phimoe, ernie4_5_moe: routers that Megatron does not have (sparse mixer; a bias on softmax scores);
* longcat_flash, hunyuan_v1_moe, exaone4: layers that Megatron does not have.
"""

import json
from dataclasses import dataclass, field

LAYERS = 4
VOCAB = 128
SMALL = {
    "vocab_size": VOCAB,
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": None,
    "initializer_range": 0.02,
}
FOUR_GROUPS = {"num_attention_heads": 8, "num_key_value_heads": 4}  # so that four tensor-parallel ranks divide them


def rope(base, **more):
    return {"rope_parameters": {"rope_type": "default", "rope_theta": base, **more}}


@dataclass(frozen=True)
class Family:
    name: str
    model_type: str  # of transformers and of config.json
    config: dict  # what differs from SMALL
    transformer: dict = field(default_factory=dict)  # for TransformerConfig, beside what follows from config.json
    gpt: dict = field(default_factory=dict)  # for GPTModel
    since: tuple = (0, 12)  # the release of megatron-core that has this first
    unused: dict = field(default_factory=dict)  # ends of names, and the rows at the front that the model does not use
    off: str = ""  # why the row is switched off

    def full_config(self):
        return {**SMALL, **self.config}


LLAMA3_SCALING = {"rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
                                      "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
EXPERTS = {"moe_intermediate_size": 48, "num_experts_per_tok": 2}
MLA = {"num_key_value_heads": 4, "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
       "v_head_dim": 16, "n_routed_experts": 4, "n_shared_experts": 2, "first_k_dense_replace": 1, **EXPERTS}
# Attention with a gate on its output in every second layer, gated delta nets in the others.
DELTA_NETS = {**FOUR_GROUPS, "head_dim": 16, "layer_types": ["linear_attention", "full_attention"] * (LAYERS // 2), "linear_num_key_heads": 4,
              "linear_num_value_heads": 8, "linear_key_head_dim": 8, "linear_value_head_dim": 12, "linear_conv_kernel_dim": 3,
              **rope(10000.0, partial_rotary_factor=0.5)}

LEARNED_POSITIONS = {"normalization": "LayerNorm", "add_bias_linear": True, "add_qkv_bias": True, "gated_linear_unit": False}


def block(heads_in_group=None, ffn_mult=None, no_op=(), linear=()):
    """A layer of DeciLM."""
    parts = {"attention": {"n_heads_in_group": heads_in_group}, "ffn": {"ffn_mult": ffn_mult}}
    return {name: {**part, "no_op": name in no_op, "replace_with_linear": name in linear} for name, part in parts.items()}


FAMILIES = (
    Family("llama", "llama", {"num_key_value_heads": 2, **rope(10000.0)}),
    Family("llama mha", "llama", {"num_key_value_heads": 4, **rope(10000.0)}),
    Family("llama tied", "llama", {"tie_word_embeddings": True, **rope(10000.0)}),
    Family("llama3 scaled", "llama", {**FOUR_GROUPS, **LLAMA3_SCALING},
           gpt={"rope_scaling": True, "rope_scaling_factor": 8.0}),
    Family("mistral wide heads", "mistral", {"head_dim": 32, "sliding_window": None, **rope(1000000.0)}),
    Family("qwen2", "qwen2", rope(1000000.0), transformer={"add_qkv_bias": True}),
    Family("qwen2 tied", "qwen2", {"tie_word_embeddings": True, **rope(1000000.0)},
           transformer={"add_qkv_bias": True}),
    Family("qwen3", "qwen3", {**FOUR_GROUPS, "head_dim": 16, **rope(1000000.0)},
           transformer={"qk_layernorm": True}),
    Family("phi3", "phi3", {"original_max_position_embeddings": 64, **rope(10000.0)}),
    Family("seed_oss", "seed_oss", {"head_dim": 32, "attention_bias": True, "attention_out_bias": False, "mlp_bias": False,
                                    "attention_dropout": 0.0, "residual_dropout": 0.0, **rope(10000.0)},
           transformer={"add_qkv_bias": True}),
    Family("glm", "glm", {"head_dim": 16, "attention_bias": True, **rope(10000.0, partial_rotary_factor=0.5)},
           transformer={"add_qkv_bias": True, "rotary_interleaved": True}),
    Family("ernie4_5", "ernie4_5", {"head_dim": 32, "use_bias": False, "tie_word_embeddings": True, **rope(500000.0)},
           transformer={"rotary_interleaved": True}),
    Family("mixtral", "mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 96, **rope(10000.0)}),
    Family("qwen2 moe", "qwen2_moe", {"num_experts": 4, "shared_expert_intermediate_size": 80, "norm_topk_prob": False,
                                      **EXPERTS, **rope(10000.0)},
           transformer={"add_qkv_bias": True, "moe_shared_expert_gate": True}),
    Family("qwen3 moe", "qwen3_moe", {"num_experts": 4, "norm_topk_prob": True, "head_dim": 16, **EXPERTS, **rope(10000.0)},
           transformer={"qk_layernorm": True}),
    # Layers of both kinds.
    Family("qwen3 moe mixed", "qwen3_moe", {"num_experts": 4, "norm_topk_prob": True, "head_dim": 16, "decoder_sparse_step": 2,
                                            **EXPERTS, **rope(10000.0)}, transformer={"qk_layernorm": True}),
    Family("deepseek v2", "deepseek_v2", {"topk_method": "greedy", "norm_topk_prob": False, "n_group": 1, "topk_group": 1,
                                          "routed_scaling_factor": 1.0, **MLA, **rope(10000.0)}),
    Family("deepseek v2 lite", "deepseek_v2", {"topk_method": "greedy", "norm_topk_prob": False, "n_group": 1, "topk_group": 1,
                                               "routed_scaling_factor": 1.0, **MLA, "q_lora_rank": None, **rope(10000.0)}),
    Family("dots1", "dots1", {"n_routed_experts": 4, "n_shared_experts": 1, "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1,
                              "norm_topk_prob": True, "routed_scaling_factor": 2.5, "head_dim": 16, **EXPERTS, **rope(10000.0)},
           transformer={"qk_layernorm": True}),
    Family("glm4 moe", "glm4_moe", {"n_routed_experts": 4, "n_shared_experts": 1, "first_k_dense_replace": 1, "n_group": 2,
                                    "topk_group": 1, "norm_topk_prob": True, "routed_scaling_factor": 1.5, "head_dim": 16,
                                    "attention_bias": True, "use_qk_norm": True, **EXPERTS, **rope(10000.0, partial_rotary_factor=0.5)},
           transformer={"qk_layernorm": True, "add_qkv_bias": True}),
    Family("qwen3 next", "qwen3_next", {**DELTA_NETS, "num_experts": 4, "shared_expert_intermediate_size": 80, "norm_topk_prob": True, **EXPERTS},
           transformer={"qk_layernorm": True, "moe_shared_expert_gate": True}, since=(0, 16)),
    Family("qwen3.5", "qwen3_5_text", DELTA_NETS, transformer={"qk_layernorm": True}, since=(0, 16)),
    Family("qwen3.5 moe", "qwen3_5_moe_text", {**DELTA_NETS, "num_experts": 4, "shared_expert_intermediate_size": 80, **EXPERTS},
           transformer={"qk_layernorm": True, "moe_shared_expert_gate": True}, since=(0, 16)),
    Family("deepseek v3", "deepseek_v3", {**MLA, "n_routed_experts": 8, "num_experts_per_tok": 4, "n_group": 4, "topk_group": 2,
                                          "norm_topk_prob": True, "routed_scaling_factor": 2.5, "num_mtp_layers": 0,
                                          **rope(10000.0)}),
    Family("glm 4.7 flash", "glm4_moe_lite", {**MLA, "n_group": 1, "topk_group": 1, "norm_topk_prob": True,
                                              "routed_scaling_factor": 1.8, "rms_norm_eps": 1e-6, "mlp_layer_types": ["dense"] + ["sparse"] * (LAYERS - 1),
                                              **rope(10000.0)}),
    # Layers with groups and widths of their own, linear layers in the place of parts, and parts that are not there.
    Family("nemotron nas", "nemotron-nas", {**FOUR_GROUPS, **LLAMA3_SCALING, "block_configs": [
        block(2, 1.3125), block(None, None, ["attention"], ["ffn"]), block(None, 6.5, linear=["attention"]), block(1, None, ["ffn"])]},
           gpt={"rope_scaling": True, "rope_scaling_factor": 8.0}, since=(0, 16)),
    # The last layer has no rotation.
    Family("smollm3", "smollm3", {"no_rope_layers": [1] * (LAYERS - 1) + [0], "use_sliding_window": False, "pad_token_id": 0, **rope(10000.0)},
           transformer={"no_rope_freq": [0] * (LAYERS - 1) + [1]}, since=(0, 16)),
    # Windows are longer than the input; the layer without one has no rotation.
    Family("exaone moe", "exaone_moe", {"num_experts": 4, "num_shared_experts": 1, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
                                        "norm_topk_prob": True, "routed_scaling_factor": 2.5, "head_dim": 16, "sliding_window": 64,
                                        "layer_types": ["sliding_attention"] * (LAYERS - 1) + ["full_attention"], **EXPERTS, **rope(10000.0)},
           transformer={"qk_layernorm": True, "no_rope_freq": [0] * (LAYERS - 1) + [1]}, since=(0, 16)),
    # The window is longer than the input.
    Family("gpt-oss", "gpt_oss", {"head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 48,
                                  "sliding_window": 64, **rope(10000.0)},
           transformer={"add_bias_linear": True, "add_qkv_bias": True, "activation": "quick_gelu", "glu_linear_offset": 1.0,
                        "activation_func_clamp_value": 7.0, "softmax_type": "learnable"}, since=(0, 16)),
    # Attention to everything, which is what the indexer chooses of short inputs.
    Family("minimax m3", "minimax_m3_vl_text", {"head_dim": 16, "rotary_dim": 8, "intermediate_size": 48, "dense_intermediate_size": 160,
                                                "shared_intermediate_size": 80, "num_local_experts": 4, "num_experts_per_tok": 2,
                                                "routed_scaling_factor": 2.0, "mlp_layer_types": ["dense"] + ["sparse"] * (LAYERS - 1),
                                                **rope(10000.0, partial_rotary_factor=0.5)},
           transformer={"qk_layernorm": True, "one_plus_norms": True, "activation": "quick_gelu", "glu_linear_offset": 1.0,
                        "activation_func_clamp_value": 7.0}, since=(0, 16)),
    # All layers with rotation, and without the norm of queries and keys, which has no weights.
    Family("llama4", "llama4_text", {"head_dim": 16, "intermediate_size": 48, "intermediate_size_mlp": 160, "num_local_experts": 4,
                                     "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "use_qk_norm": False,
                                     "no_rope_layers": [1] * LAYERS, "attn_temperature_tuning": False, **rope(10000.0)},
           transformer={"rotary_interleaved": True, "moe_apply_probs_on_input": True}, since=(0, 16)),
    Family("starcoder2", "starcoder2", {"tie_word_embeddings": True, "use_bias": True, **rope(10000.0)},
           transformer={"normalization": "LayerNorm", "add_bias_linear": True, "add_qkv_bias": True, "gated_linear_unit": False,
                        "activation": "gelu_tanh"}),
    Family("gpt2", "gpt2", {"n_inner": 160, "tie_word_embeddings": True, "num_key_value_heads": 4},
           transformer={**LEARNED_POSITIONS, "activation": "gelu_tanh"}, gpt={"position_embedding_type": "learned_absolute"}),
    Family("gpt_bigcode heads", "gpt_bigcode", {"n_inner": 160, "tie_word_embeddings": True, "multi_query": False, "num_key_value_heads": 4},
           transformer={**LEARNED_POSITIONS, "activation": "gelu_tanh"}, gpt={"position_embedding_type": "learned_absolute"}),
    Family("gpt_bigcode", "gpt_bigcode", {"n_inner": 160, "tie_word_embeddings": True, "multi_query": True, "num_key_value_heads": 1},
           transformer={**LEARNED_POSITIONS, "activation": "gelu_tanh"}, gpt={"position_embedding_type": "learned_absolute"}),
    Family("opt", "opt", {"ffn_dim": 160, "activation_function": "gelu", "tie_word_embeddings": True, "num_key_value_heads": 4},
           transformer={**LEARNED_POSITIONS, "activation": "gelu"}, gpt={"position_embedding_type": "learned_absolute"},
           unused={"embed_positions.weight": 2}),
)


def rope_parameter(config, name, default):
    """transformers 5 keeps what concerns the rotation in an object of its own; older files have it at the top."""
    return (config.get("rope_parameters") or {}).get(name, config.get(name, default))


OTHER_NAMES = {"n_embd": "hidden_size", "n_head": "num_attention_heads", "n_layer": "num_hidden_layers", "n_inner": "intermediate_size",
               "n_positions": "max_position_embeddings", "ffn_dim": "intermediate_size", "layer_norm_epsilon": "norm_epsilon"}


def in_common_names(config):
    return {OTHER_NAMES.get(name, name): value for name, value in config.items()}


def dense_description(config):
    """TransformerConfig and GPTModel arguments that follow from a config.json."""
    heads = config["num_attention_heads"]
    transformer = {
        "num_layers": config["num_hidden_layers"],
        "hidden_size": config["hidden_size"],
        "ffn_hidden_size": config.get("intermediate_size_mlp") or config.get("dense_intermediate_size") or config.get("intermediate_size") or config["moe_intermediate_size"],
        "num_attention_heads": heads,
        "num_query_groups": config["num_key_value_heads"],
        "kv_channels": config.get("head_dim") or config["hidden_size"] // heads,
        "layernorm_epsilon": config.get("rms_norm_eps") or config.get("norm_epsilon", 1e-5),
        "normalization": "RMSNorm",
        "gated_linear_unit": True,
        "add_bias_linear": False,
    }
    gpt = {
        "vocab_size": config["vocab_size"],
        "max_sequence_length": config["max_position_embeddings"],
        "share_embeddings_and_output_weights": config["tie_word_embeddings"],
        "position_embedding_type": "rope",
        "rotary_base": rope_parameter(config, "rope_theta", 10000.0),
        "rotary_percent": rope_parameter(config, "partial_rotary_factor", 1.0),
    }
    return transformer, gpt


def number_of_experts(config):
    """0 for a dense model; the families differ in the name."""
    return config.get("num_local_experts") or config.get("num_experts") or config.get("n_routed_experts") or 0


def expert_arguments(config):
    """TransformerConfig arguments of a mixture of experts; none for a dense model."""
    experts = number_of_experts(config)
    if not experts:
        return {}
    ffn = config.get("moe_intermediate_size") or config["intermediate_size"]
    one_shared = config["model_type"] == "llama4_text"
    shared = config.get("shared_expert_intermediate_size") or config.get("shared_intermediate_size") or ffn * (config.get("n_shared_experts") or config.get("num_shared_experts") or one_shared)
    dense_layers = config.get("first_k_dense_replace", 0)
    step = config.get("decoder_sparse_step") or config.get("interleave_moe_layer_step") or 1
    sparse = [layer >= dense_layers and (layer + 1) % step == 0 for layer in range(config["num_hidden_layers"])]
    if "mlp_layer_types" in config:
        sparse = [kind == "sparse" for kind in config["mlp_layer_types"]]
    with_bias = config["model_type"] in ("deepseek_v3", "glm4_moe", "glm4_moe_lite", "dots1", "exaone_moe", "minimax_m3_vl_text")
    sigmoid = with_bias or config["model_type"] == "llama4_text"
    # Weights of the chosen experts that add up to 1 are the softmax over the chosen ones alone.
    renormalized = config.get("norm_topk_prob", True)
    return {
        "num_moe_experts": experts,
        "moe_ffn_hidden_size": ffn,
        "moe_router_topk": config["num_experts_per_tok"],
        "moe_router_pre_softmax": not sigmoid and not renormalized,
        "moe_router_score_function": "sigmoid" if sigmoid else "softmax",
        "moe_router_enable_expert_bias": with_bias,
        "moe_router_num_groups": config.get("n_group") if with_bias else None,
        "moe_router_group_topk": config.get("topk_group") if with_bias else None,
        "moe_router_topk_scaling_factor": config.get("routed_scaling_factor"),
        "moe_router_load_balancing_type": "none",
        "moe_router_dtype": "fp32",
        "moe_token_dispatcher_type": "allgather",
        "moe_grouped_gemm": False,
        "moe_shared_expert_intermediate_size": shared or None,
        "moe_layer_freq": [int(layer) for layer in sparse] if not all(sparse) else 1,
    }


def attention_arguments(config):
    """TransformerConfig arguments of multi-head latent attention; none for the ordinary one."""
    if "kv_lora_rank" not in config:
        return {}
    return {
        "multi_latent_attention": True,
        "q_lora_rank": config["q_lora_rank"],
        "kv_lora_rank": config["kv_lora_rank"],
        "qk_head_dim": config["qk_nope_head_dim"],
        "qk_pos_emb_head_dim": config["qk_rope_head_dim"],
        "v_head_dim": config["v_head_dim"],
        "qk_layernorm": True,
        "rope_type": "rope",
        "rotary_scaling_factor": 1.0,  # otherwise the softmax is scaled for YaRN, whatever the rope type
        "rotary_base": rope_parameter(config, "rope_theta", 10000.0),
    }


def linear_attention_arguments(config):
    """TransformerConfig arguments of gated delta nets; none for a model without."""
    if "linear_num_key_heads" not in config:
        return {}
    sizes = ("num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim", "conv_kernel_dim")
    return {
        "experimental_attention_variant": "gated_delta_net",
        "linear_attention_freq": [int(kind == "linear_attention") for kind in config["layer_types"]],
        **{f"linear_{size}": config[f"linear_{size}"] for size in sizes},
        "attention_output_gate": True,
        "deterministic_mode": True,  # plain torch code
    }


def layer_arguments(config):
    """TransformerConfig arguments of layers that differ; none for a model whose layers are alike."""
    return {"heterogeneous_layers_config_encoded_json": json.dumps(config)} if "block_configs" in config else {}


def describe(family, config):
    """What builds the model in megatron-core, as plain data that can be sent to another process."""
    transformer, gpt = dense_description(config)
    transformer.update(expert_arguments(config))
    transformer.update(linear_attention_arguments(config))
    transformer.update(layer_arguments(config))
    latent = attention_arguments(config)
    if latent:
        transformer.pop("num_query_groups")
        transformer.pop("kv_channels")
        transformer.update(latent)
    return {"transformer": {**transformer, **family.transformer}, "gpt": {**gpt, **family.gpt}}
