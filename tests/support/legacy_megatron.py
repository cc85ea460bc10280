"""Checkpoints as Megatron wrote them before megatron-core, made from Hugging Face tensors with nothing but the standard library.

An implementation of its own, from what is public of Megatron-LM: the names of megatron/legacy/model, and the three orders of the rows
of Q, K and V that fix_query_key_value_ordering of its training/checkpointing.py undoes; the names of Transformer Engine's TransformerLayer;
the buffers of core/distributed/param_and_grad_buffer.py.
"""

import argparse
from array import array
from pathlib import Path

from checkpoints import TORCH_DTYPES, Tensor, crc_filled, element_count, write_torch_file

# What the names were before the autumn of 2023.
OLD = {"encoder": "transformer", "self_attention": "attention", "input_norm": "input_layernorm",
       "post_attention_norm": "post_attention_layernorm", "final_norm": "final_layernorm"}
# Which names TransformerLayer has instead of those of a local layer.
FUSED = {"input_norm.weight": "self_attention.layernorm_qkv.layer_norm_weight", "input_norm.bias": "self_attention.layernorm_qkv.layer_norm_bias",
         "self_attention.query_key_value.weight": "self_attention.layernorm_qkv.weight",
         "self_attention.query_key_value.bias": "self_attention.layernorm_qkv.bias",
         "self_attention.dense.weight": "self_attention.proj.weight", "self_attention.dense.bias": "self_attention.proj.bias",
         "post_attention_norm.weight": "layernorm_mlp.layer_norm_weight", "post_attention_norm.bias": "layernorm_mlp.layer_norm_bias",
         "mlp.dense_h_to_4h.weight": "layernorm_mlp.fc1_weight", "mlp.dense_h_to_4h.bias": "layernorm_mlp.fc1_bias",
         "mlp.dense_4h_to_h.weight": "layernorm_mlp.fc2_weight", "mlp.dense_4h_to_h.bias": "layernorm_mlp.fc2_bias"}
# The order in which a layer's parameters are made, which is that of its state dict and of the optimizer's buffers.
ORDER = [f"{name}.{kind}" for name in ("input_norm", "self_attention.query_key_value", "self_attention.dense", "post_attention_norm",
                                       "mlp.dense_h_to_4h", "mlp.dense_4h_to_h") for kind in ("weight", "bias")]
ALIGNED = 64  # parameters begin at multiples of so many elements
STATES = ("param", "exp_avg", "exp_avg_sq")


def finite(tensor):
    """Of bfloat16, below 2."""
    return Tensor(tensor.dtype, tensor.shape, array("H", (bits & 0xBFFF for bits in array("H", tensor.data))).tobytes())


def state_of(state, hf):
    """What an optimizer keeps of each weight: the weight with digits that bfloat16 has no place for, or a moment of its own."""
    out = {}
    for name, tensor in hf.items():
        low = array("H", crc_filled(state + name, tensor.shape).data)
        high = array("H", (tensor if state == "param" else finite(crc_filled(name + state, tensor.shape))).data)
        halves = array("H", (half for pair in zip(low, high) for half in (pair[0] & 0x7FFF, pair[1])))
        out[name] = Tensor("F32", tensor.shape, halves.tobytes())
    return out


def tensors_in(value):
    """In their order, however deep."""
    return [value] if isinstance(value, Tensor) else [tensor for inner in value.values() for tensor in tensors_in(inner)]


def flat_buffer(tensors):
    """From the last to the first."""
    data = bytearray()
    for tensor in reversed(tensors):
        data += bytes(-len(data) % (4 * ALIGNED)) + tensor.data
    return Tensor("F32", (len(data) // 4,), bytes(data))


def rows(tensor):
    size = len(tensor.data) // tensor.shape[0]
    return [tensor.data[at:at + size] for at in range(0, len(tensor.data), size)]


def stacked(like, parts):
    return Tensor(like.dtype, (len(parts), *like.shape[1:]), b"".join(parts))


def transposed(tensor):
    height, width = tensor.shape
    size = len(tensor.data) // element_count(tensor.shape)
    items = [tensor.data[at:at + size] for at in range(0, len(tensor.data), size)]
    return Tensor(tensor.dtype, (width, height), b"".join(items[row * width + column] for column in range(width) for row in range(height)))


def joined(*tensors):
    return stacked(tensors[0], [row for tensor in tensors for row in rows(tensor)])


def share(tensor, rank, ranks):
    """Of the rows."""
    count = tensor.shape[0] // ranks
    return stacked(tensor, rows(tensor)[rank * count:(rank + 1) * count])


def columns(tensor, rank, ranks):
    height, width = tensor.shape
    size = len(rows(tensor)[0]) // ranks
    return Tensor(tensor.dtype, (height, width // ranks), b"".join(row[rank * size:(rank + 1) * size] for row in rows(tensor)))


def thirds(tensor):
    return [share(tensor, part, 3) for part in range(3)]


def in_order(parts, heads, groups, version):
    """The rows of Q, K and V of one rank, which has so many heads and groups of them."""
    query, key, value = (rows(part) for part in parts)
    width = len(query) // heads
    of = lambda part, head: part[head * width:(head + 1) * width]
    if version < 1:    # [3, heads, width]
        out = query + key + value
    elif version < 2:  # [heads, width, 3]
        out = [part[row] for row in range(len(query)) for part in (query, key, value)]
    else:              # [groups, the group's heads of Q, then one of K and one of V, width]
        each = heads // groups
        out = [row for group in range(groups)
               for block in (query[group * each * width:(group + 1) * each * width], of(key, group), of(value, group)) for row in block]
    return stacked(parts[0], out)


def llama_layer(hf, layer):
    at = f"model.layers.{layer}."
    found = {name: hf[at + place + ".weight"] for name, place in {
        "out": "self_attn.o_proj", "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
        "norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"}.items()}
    if at + "self_attn.W_pack.weight" in hf:
        return found | {"qkv": thirds(hf[at + "self_attn.W_pack.weight"])}
    found["qkv"] = [hf[at + f"self_attn.{part}_proj.weight"] for part in "qkv"]
    if at + "self_attn.q_proj.bias" in hf:
        found["qkv_bias"] = [hf[at + f"self_attn.{part}_proj.bias"] for part in "qkv"]
    return found


def qwen_layer(hf, layer):
    at = f"transformer.h.{layer}."
    return {"qkv": thirds(hf[at + "attn.c_attn.weight"]), "qkv_bias": thirds(hf[at + "attn.c_attn.bias"]),
            "out": hf[at + "attn.c_proj.weight"], "gate": hf[at + "mlp.w2.weight"], "up": hf[at + "mlp.w1.weight"],
            "down": hf[at + "mlp.c_proj.weight"], "norm": hf[at + "ln_1.weight"], "mlp_norm": hf[at + "ln_2.weight"]}


def gpt2_layer(hf, layer):
    at = f"transformer.h.{layer}."
    return {"qkv": thirds(transposed(hf[at + "attn.c_attn.weight"])), "qkv_bias": thirds(hf[at + "attn.c_attn.bias"]),
            "out": transposed(hf[at + "attn.c_proj.weight"]), "out_bias": hf[at + "attn.c_proj.bias"],
            "up": transposed(hf[at + "mlp.c_fc.weight"]), "up_bias": hf[at + "mlp.c_fc.bias"],
            "down": transposed(hf[at + "mlp.c_proj.weight"]), "down_bias": hf[at + "mlp.c_proj.bias"],
            "norm": hf[at + "ln_1.weight"], "norm_bias": hf[at + "ln_1.bias"],
            "mlp_norm": hf[at + "ln_2.weight"], "mlp_norm_bias": hf[at + "ln_2.bias"]}


# By model_type: a layer's weights, and what stands around the layers.
FAMILIES = {
    "llama": (llama_layer, "model.embed_tokens", "model.norm"),
    "qwen2": (llama_layer, "model.embed_tokens", "model.norm"),
    "baichuan": (llama_layer, "model.embed_tokens", "model.norm"),
    "qwen": (qwen_layer, "transformer.wte", "transformer.ln_f"),
    "gpt2": (gpt2_layer, "transformer.wte", "transformer.ln_f"),
}


class Legacy:
    """A checkpoint with its layout; `old`: under the older names; `padding`: rows behind the vocabulary; `fused`: layers of Transformer
    Engine."""

    def __init__(self, config, hf, tp=1, pp=1, vpp=1, version=3.0, old=False, padding=0, fused=False):
        self.config, self.hf, self.tp, self.pp, self.vpp, self.version, self.old, self.padding = config, hf, tp, pp, vpp, version, old, padding
        self.fused = fused
        self.heads = config.get("num_attention_heads") or config["n_head"]
        self.groups = config.get("num_key_value_heads", self.heads)
        self.layers = config.get("num_hidden_layers") or config["n_layer"]
        self.layer, self.embedding, self.norm = FAMILIES[config["model_type"]]
        self.tied = "lm_head.weight" not in hf

    def name(self, name):
        return ".".join(OLD.get(part, part) if self.old else part for part in name.split("."))

    def of_layer(self, number, rank):
        found, tp = self.layer(self.hf, number), self.tp
        qkv = lambda parts: in_order([share(part, rank, tp) for part in parts], self.heads // tp, self.groups // tp, self.version)
        widening = [found[name] for name in ("gate", "up") if name in found]
        out = {"input_norm.weight": found["norm"], "self_attention.query_key_value.weight": qkv(found["qkv"]),
               "self_attention.dense.weight": columns(found["out"], rank, tp), "post_attention_norm.weight": found["mlp_norm"],
               "mlp.dense_h_to_4h.weight": joined(*(share(part, rank, tp) for part in widening)),
               "mlp.dense_4h_to_h.weight": columns(found["down"], rank, tp)}
        whole = {"norm_bias": "input_norm", "mlp_norm_bias": "post_attention_norm", "out_bias": "self_attention.dense",
                 "down_bias": "mlp.dense_4h_to_h"}
        out |= {f"{name}.bias": found[key] for key, name in whole.items() if key in found}
        if "qkv_bias" in found:
            out["self_attention.query_key_value.bias"] = qkv(found["qkv_bias"])
        if "up_bias" in found:
            out["mlp.dense_h_to_4h.bias"] = share(found["up_bias"], rank, tp)
        return {FUSED[name] if self.fused else name: out[name] for name in ORDER if name in out}

    def factors(self, adapter, number, rank):
        """Of the layer's adapters, those that the rank has: what PEFT trains of every linear layer with lora_target_modules. `adapter`: the
        tensors of PEFT's own directory, in which modules that are one here have the same right factor."""
        place = f"base_model.model.model.layers.{number}."
        right = lambda module: adapter[f"{place}{module}.lora_A.weight"]
        left = lambda *modules: [adapter[f"{place}{module}.lora_B.weight"] for module in modules]
        split = lambda module: [share(part, rank, self.tp) for part in left(*module)]
        qkv, up = [f"self_attn.{part}_proj" for part in "qkv"], ["mlp.gate_proj", "mlp.up_proj"]
        out = {"self_attention.query_key_value": (right(qkv[0]), in_order(split(qkv), self.heads // self.tp, self.groups // self.tp, self.version)),
               "self_attention.dense": (columns(right("self_attn.o_proj"), rank, self.tp), *left("self_attn.o_proj")),
               "mlp.dense_h_to_4h": (right(up[0]), joined(*split(up))),
               "mlp.dense_4h_to_h": (columns(right("mlp.down_proj"), rank, self.tp), *left("mlp.down_proj"))}
        return {f"{module}.lora_{kind}.default.weight": factor for module, pair in out.items() for kind, factor in zip("AB", pair)}

    def vocabulary(self, name, rank):
        tensor = self.hf[name + ".weight"]
        noise = [bytes([number % 251]) * len(rows(tensor)[0]) for number in range(self.padding)]
        return {"weight": share(stacked(tensor, rows(tensor) + noise), rank, self.tp)}

    def chunk(self, tp, pp, vp):
        each = self.layers // (self.pp * self.vpp)
        first = (vp * self.pp + pp) * each
        encoder = {self.name(f"layers.{at}.{name}"): tensor for at in range(each) for name, tensor in self.of_layer(first + at, tp).items()}
        is_first, is_last = pp == vp == 0, pp == self.pp - 1 and vp == self.vpp - 1
        model, out = {}, {}
        if is_first:
            model["embedding"] = {"word_embeddings": self.vocabulary(self.embedding, tp)}
            if "transformer.wpe.weight" in self.hf:
                model["embedding"]["position_embeddings"] = {"weight": self.hf["transformer.wpe.weight"]}
        model[self.name("encoder")] = encoder
        if is_last:
            encoder |= {self.name(f"final_norm.{kind}"): self.hf[f"{self.norm}.{kind}"]
                        for kind in ("weight", "bias") if f"{self.norm}.{kind}" in self.hf}
            if not self.tied:
                model["output_layer"] = self.vocabulary("lm_head", tp)
            elif not is_first:
                out["word_embeddings_for_head"] = self.vocabulary(self.embedding, tp)
        return {"language_model": model, **out}

    def arguments(self):
        down = self.layer(self.hf, 0)["down"]
        return argparse.Namespace(
            num_layers=self.layers, hidden_size=down.shape[0], ffn_hidden_size=down.shape[1], swiglu="gate" in self.layer(self.hf, 0),
            max_position_embeddings=self.config.get("max_position_embeddings", self.config.get("n_positions")),
            padded_vocab_size=self.hf[self.embedding + ".weight"].shape[0] + self.padding, add_qkv_bias="qkv_bias" in self.layer(self.hf, 0), add_bias_linear=False, num_attention_heads=self.heads, group_query_attention=self.groups != self.heads,
            num_query_groups=self.groups, tensor_model_parallel_size=self.tp, pipeline_model_parallel_size=self.pp,
            untie_embeddings_and_output_weights=not self.tied, use_mcore_models=False)

    def rank(self, tp, pp):
        chunks = {"model" if self.vpp == 1 else f"model{vp}": self.chunk(tp, pp, vp) for vp in range(self.vpp)}
        file = {**chunks, "args": self.arguments(), "iteration": 10}
        return file if self.version == 0 else {**file, "checkpoint_version": self.version}

    def trained(self, tp, pp):
        """What a run with a distributed optimizer adds to the file of a rank, and the file beside it."""
        groups = [{"lr": 1e-4, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1, "wd_mult": mult, "lr_mult": 1.0, "is_expert_parallel": False,
                   "is_decoupled_lr": False, "step": 10, "params": []} for mult in (1.0, 0.0)]
        states = [Legacy(self.config, state_of(state, self.hf), self.tp, self.pp, self.vpp, self.version, self.old, self.padding, self.fused)
                  for state in STATES]
        buffers = {"buckets_coalesced": True}
        for vp in range(self.vpp):
            flat = {name: flat_buffer(tensors_in(of.chunk(tp, pp, vp))) for name, of in zip(STATES, states)}
            buffers[vp] = {(TORCH_DTYPES["bfloat16"], TORCH_DTYPES["float32"]): {**flat, "numel_unpadded": flat["param"].shape[0]}}
        schedule = {"max_lr": 1e-4, "lr_warmup_steps": 0, "num_steps": 640, "lr_decay_style": "cosine"}
        return {"optimizer": {"optimizer": {"param_groups": groups}}, "opt_param_scheduler": schedule}, buffers

    def write(self, root, training=False):
        """Of version 0 nothing says the version, as it was. `training`: with the state of an optimizer."""
        for pp in range(self.pp):
            for tp in range(self.tp):
                place = Path(root) / "iter_0000010" / (f"mp_rank_{tp:02}" + (f"_{pp:03}" if self.pp > 1 else ""))
                place.mkdir(parents=True)
                more, buffers = self.trained(tp, pp) if training else ({}, None)
                write_torch_file(place / "model_optim_rng.pt", {**self.rank(tp, pp), **more})
                if training:
                    write_torch_file(place / "distrib_optim.pt", buffers)
        (Path(root) / "latest_checkpointed_iteration.txt").write_text("10")
