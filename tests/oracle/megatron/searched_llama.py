"""A Llama whose layers differ, which transformers has no code of: attention and MLP of each layer are as in Llama, one linear layer, or
not there. What the layers are stands in `block_configs` of the config, as in DeciLM; this is the model type "nemotron-nas".
"""

import copy

from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaMLP, LlamaRMSNorm


def with_sizes(config, **sizes):
    own = copy.copy(config)
    for name, size in sizes.items():
        setattr(own, name, size)
    return own


def mlp_width(multiple, hidden):
    """Two thirds of the multiple, up to the next multiple of 256."""
    return -(-int(2 * multiple * hidden / 3) // 256) * 256


class Linear(nn.Module):
    """Takes the place of attention or MLP; the name of the weight says of which."""

    def __init__(self, name, hidden):
        super().__init__()
        self.add_module(name, nn.Linear(hidden, hidden, bias=False))

    def forward(self, x):
        return next(self.children())(x)


class SearchedLayer(nn.Module):
    def __init__(self, config, number):
        super().__init__()
        attention, ffn = (config.block_configs[number][part] for part in ("attention", "ffn"))
        if not attention["no_op"]:
            self.input_layernorm = LlamaRMSNorm(config.hidden_size, config.rms_norm_eps)
            if attention["replace_with_linear"]:
                self.self_attn = Linear("linear_attn", config.hidden_size)
            else:
                groups = config.num_attention_heads // attention["n_heads_in_group"]
                self.self_attn = LlamaAttention(with_sizes(config, num_key_value_heads=groups), number)
        if not ffn["no_op"]:
            self.post_attention_layernorm = LlamaRMSNorm(config.hidden_size, config.rms_norm_eps)
            if ffn["replace_with_linear"]:
                self.mlp = Linear("linear_mlp", config.hidden_size)
            else:
                self.mlp = LlamaMLP(with_sizes(config, intermediate_size=mlp_width(ffn["ffn_mult"], config.hidden_size)))

    def forward(self, hidden_states, **others):
        attention = getattr(self, "self_attn", None)
        if attention is not None:
            normed = self.input_layernorm(hidden_states)
            added = attention(normed) if isinstance(attention, Linear) else attention(hidden_states=normed, **others)[0]
            hidden_states = hidden_states + added
        if hasattr(self, "mlp"):
            hidden_states = hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))
        return hidden_states


class SearchedLlamaConfig(LlamaConfig):
    model_type = "nemotron-nas"
    block_configs: list | None = None


class SearchedLlama(LlamaForCausalLM):
    config_class = SearchedLlamaConfig

    def __init__(self, config):
        super().__init__(config)
        self.model.layers = nn.ModuleList(SearchedLayer(config, number) for number in range(config.num_hidden_layers))
        self.post_init()


AutoConfig.register(SearchedLlamaConfig.model_type, SearchedLlamaConfig)
AutoModelForCausalLM.register(SearchedLlamaConfig, SearchedLlama)
