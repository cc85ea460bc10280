"""Megatron's mcore layout of dense Llama-like models in numpy, written from its description and not from our code.

Only bytes move, so bfloat16 is handled as 16-bit integers. A tensor is what the rank's file must hold.
"""

import numpy as np


def placement(layers, pipeline, per_chunk=None, layer_list=None, noop=()):
    """Where each layer goes: {(stage, chunk): [(local index, index of the Hugging Face layer)]}.

    `layers` is the number of real layers. No-op layers take a place in the sequence and hold nothing.
    """
    total = layers + len(noop)
    sequence, following = [], 0
    for position in range(total):
        if position in noop:
            sequence.append(None)
        else:
            sequence.append(following)
            following += 1
    if per_chunk is not None:
        sizes = [per_chunk] * (total // per_chunk)
    elif layer_list is not None:
        sizes = layer_list
    else:
        sizes = [total // pipeline] * pipeline
    assert sum(sizes) == total and len(sizes) % pipeline == 0
    places, begin = {}, 0
    for number, size in enumerate(sizes):
        part = sequence[begin:begin + size]
        begin += size
        places[number % pipeline, number // pipeline] = [(i, layer) for i, layer in enumerate(part) if layer is not None]
    return places


def split_rows(matrix, count):
    return np.split(matrix, count, axis=0)


def split_columns(matrix, count):
    return np.split(matrix, count, axis=1)


def merge_qkv(query, key, value, groups):
    """For each group its query heads, then its key head, then its value head."""
    parts = []
    for q, k, v in zip(np.split(query, groups), np.split(key, groups), np.split(value, groups)):
        parts += [q, k, v]
    return np.concatenate(parts)


def layer_of_rank(hf, prefix, rank, ranks, groups):
    """The tensors of one decoder layer on one tensor-parallel rank, without the layer's prefix."""
    take = lambda name: hf[f"{prefix}.{name}"]  # noqa: E731
    out = {"input_layernorm.weight": take("input_layernorm.weight"),
           "pre_mlp_layernorm.weight": take("post_attention_layernorm.weight")}
    for kind in ("weight", "bias"):
        if f"{prefix}.self_attn.q_proj.{kind}" in hf:
            merged = merge_qkv(*(take(f"self_attn.{p}_proj.{kind}") for p in "qkv"), groups)
            out[f"self_attention.linear_qkv.{kind}"] = split_rows(merged, ranks)[rank]
    out["self_attention.linear_proj.weight"] = split_columns(take("self_attn.o_proj.weight"), ranks)[rank]
    for p in "qk":
        if f"{prefix}.self_attn.{p}_norm.weight" in hf:
            out[f"self_attention.{p}_layernorm.weight"] = take(f"self_attn.{p}_norm.weight")
    gate, up = (split_rows(take(f"mlp.{p}_proj.weight"), ranks)[rank] for p in ("gate", "up"))
    out["mlp.linear_fc1.weight"] = np.concatenate([gate, up])
    out["mlp.linear_fc2.weight"] = split_columns(take("mlp.down_proj.weight"), ranks)[rank]
    return out


def convert(hf, config, tensor=1, pipeline=1, per_chunk=None, layer_list=None, noop=()):
    """{rank directory: {model key: {tensor name: array}}} of a Hugging Face model given as {name: array}."""
    groups = config.get("num_key_value_heads", config["num_attention_heads"])
    places = placement(config["num_hidden_layers"], pipeline, per_chunk, layer_list, noop)
    chunks = len(places) // pipeline
    tied = config.get("tie_word_embeddings", False)
    files = {}
    for t in range(tensor):
        for p in range(pipeline):
            models = {}
            for c in range(chunks):
                model = {}
                if (p, c) == (0, 0):
                    model["embedding.word_embeddings.weight"] = split_rows(hf["model.embed_tokens.weight"], tensor)[t]
                for local, layer in places[p, c]:
                    for name, value in layer_of_rank(hf, f"model.layers.{layer}", t, tensor, groups).items():
                        model[f"decoder.layers.{local}.{name}"] = value
                if (p, c) == (pipeline - 1, chunks - 1):
                    model["decoder.final_layernorm.weight"] = hf["model.norm.weight"]
                    if not tied:
                        model["output_layer.weight"] = split_rows(hf["lm_head.weight"], tensor)[t]
                    elif pipeline > 1:
                        model["output_layer.weight"] = split_rows(hf["model.embed_tokens.weight"], tensor)[t]
                models["model" if per_chunk is None else f"model{c}"] = model
            files[f"mp_rank_{t:02d}" + (f"_{p:03d}" if pipeline > 1 else "")] = models
    return files
