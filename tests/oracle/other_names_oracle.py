"""Checkpoints of torch.distributed.checkpoint under the names of other programs than transformers: torchtitan's and Megatron's.

Real ranks shard a model of such names with fully_shard, train it and save it; it becomes Hugging Face's, Megatron's, and its own
again, bit for bit. That torchtitan's order of query and key rows is what its names stand for is seen in what the model computes.
Megatron-FSDP itself needs CUDA: ranks save what it saves, tensors that are cut where its buffers are, through PyTorch's planner.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from torch.distributed.checkpoint.metadata import ChunkStorageMetadata, MetadataIndex, TensorProperties  # noqa: E402
from torch.distributed.checkpoint.planner import TensorWriteData, WriteItem, WriteItemType  # noqa: E402
from torch.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict,  # noqa: E402
                                                     get_optimizer_state_dict)
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.distributed.tensor import Shard, distribute_tensor  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402

import sharded_oracle as sharded  # noqa: E402

WORLD = 4
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 24, "num_hidden_layers": 2,
         "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 4, "intermediate_size": 28, "vocab_size": 38,
         "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 64, "tie_word_embeddings": False,
         "hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "torch_dtype": "float32"}
TIED_LLAMA = {**LLAMA, "tie_word_embeddings": True}
# In torchtitan and in Hugging Face; of a layer.
TITAN = {"attention.wq.weight": "self_attn.q_proj.weight", "attention.wk.weight": "self_attn.k_proj.weight",
         "attention.wv.weight": "self_attn.v_proj.weight", "attention.wo.weight": "self_attn.o_proj.weight",
         "feed_forward.w1.weight": "mlp.gate_proj.weight", "feed_forward.w3.weight": "mlp.up_proj.weight",
         "feed_forward.w2.weight": "mlp.down_proj.weight", "attention_norm.weight": "input_layernorm.weight",
         "ffn_norm.weight": "post_attention_layernorm.weight", "attention.q_norm.weight": "self_attn.q_norm.weight",
         "attention.k_norm.weight": "self_attn.k_norm.weight", "moe.router.gate.weight": "mlp.gate.weight"}
ENDS = {"tok_embeddings.weight": "model.embed_tokens.weight", "norm.weight": "model.norm.weight", "output.weight": "lm_head.weight"}


class Tree(torch.nn.Module):
    """Parameters under any dotted names."""

    def __init__(self, tensors):
        super().__init__()
        inner = {}
        for name, value in tensors.items():
            first, _, rest = name.partition(".")
            if rest:
                inner.setdefault(first, {})[rest] = value
            else:
                self.register_parameter(name, value if isinstance(value, torch.nn.Parameter) else torch.nn.Parameter(value.clone()))
        for name, values in inner.items():
            self.add_module(name, Tree(values))


def hf_weights(config):
    """Random weights of a model of Hugging Face, experts apart."""
    torch.manual_seed(11)
    heads, groups, head = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    hidden, experts = config["hidden_size"], config.get("num_experts", 0)
    out = {"model.embed_tokens.weight": torch.randn(config["vocab_size"], hidden)}
    for number in range(config["num_hidden_layers"]):
        layer = {"self_attn.q_proj": (heads * head, hidden), "self_attn.k_proj": (groups * head, hidden),
                 "self_attn.v_proj": (groups * head, hidden), "self_attn.o_proj": (hidden, heads * head),
                 "input_layernorm": (hidden,), "post_attention_layernorm": (hidden,)}
        if config["model_type"].startswith("qwen3"):
            layer.update({"self_attn.q_norm": (head,), "self_attn.k_norm": (head,)})
        size = config["moe_intermediate_size" if experts else "intermediate_size"]
        for front in [f"mlp.experts.{expert}" for expert in range(experts)] or ["mlp"]:
            layer.update({f"{front}.gate_proj": (size, hidden), f"{front}.up_proj": (size, hidden), f"{front}.down_proj": (hidden, size)})
        if experts:
            layer["mlp.gate"] = (experts, hidden)
        out.update({f"model.layers.{number}.{name}.weight": torch.randn(shape) for name, shape in layer.items()})
    out["model.norm.weight"] = torch.randn(hidden)
    out["lm_head.weight"] = out["model.embed_tokens.weight"] if config["tie_word_embeddings"] else torch.randn(config["vocab_size"], hidden)
    return out


def rotary_pairs(weight, head):
    """The halves of each head's rows in turn."""
    return weight.view(-1, 2, head // 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)


def titan_weights(config):
    hf, out = hf_weights(config), {}
    for ours, theirs in ENDS.items():
        out[ours] = hf[theirs]
    for number in range(config["num_hidden_layers"]):
        for ours, theirs in TITAN.items():
            value = hf.get(f"model.layers.{number}.{theirs}")
            if value is None:
                continue
            if config["model_type"] == "llama" and ours in ("attention.wq.weight", "attention.wk.weight"):
                value = rotary_pairs(value, config["head_dim"])
            out[f"layers.{number}.{ours}"] = value
        for ours, theirs in (("w1", "gate"), ("w3", "up"), ("w2", "down")) if "num_experts" in config else ():
            out[f"layers.{number}.moe.experts.{ours}"] = torch.stack(
                [hf[f"model.layers.{number}.mlp.experts.{expert}.{theirs}_proj.weight"] for expert in range(config["num_experts"])])
    return out


def norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def rotated(x, theta):
    """Neighbouring numbers of a head as complex ones, as torchtitan's Llama turns them."""
    turns = torch.outer(torch.arange(x.shape[1]).float(), 1.0 / theta ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1]))
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(turns), turns)[None, :, None, :]).flatten(-2)


def titan_logits(weights, config, tokens):
    head, eps, theta = config["head_dim"], config["rms_norm_eps"], config["rope_theta"]
    heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
    x = weights["tok_embeddings.weight"][tokens]
    for number in range(config["num_hidden_layers"]):
        w = {name: weights[f"layers.{number}.{name}"] for name in TITAN if f"layers.{number}.{name}" in weights}
        y = norm(x, w["attention_norm.weight"], eps)
        q, k, v = ((y @ w[f"attention.{name}.weight"].T).unflatten(-1, (-1, head)) for name in ("wq", "wk", "wv"))
        q, k = rotated(q, theta), rotated(k, theta)
        k, v = (part.repeat_interleave(heads // groups, 2) for part in (k, v))
        y = torch.nn.functional.scaled_dot_product_attention(*(part.transpose(1, 2) for part in (q, k, v)), is_causal=True)
        x = x + y.transpose(1, 2).flatten(2) @ w["attention.wo.weight"].T
        y = norm(x, w["ffn_norm.weight"], eps)
        gate = torch.nn.functional.silu(y @ w["feed_forward.w1.weight"].T) * (y @ w["feed_forward.w3.weight"].T)
        x = x + gate @ w["feed_forward.w2.weight"].T
    return norm(x, weights["norm.weight"], eps) @ weights["output.weight"].T


# Name: configuration, mesh.
SAVED = {"titan": (LLAMA, "four"), "titan_tp": (LLAMA, "tp"), "titan_tied": (TIED_LLAMA, "three"), "titan_moe": (tiny.MOE_CONFIG, "hsdp")}


def sharded_tree(tensors, kind, mesh, columns):
    model = Tree(tensors)
    if kind == "tp":
        for name, parameter in list(model.named_parameters()):
            if not name.endswith(columns):
                continue
            owner = model.get_submodule(name.rpartition(".")[0])
            owner.register_parameter("weight", torch.nn.Parameter(distribute_tensor(parameter.data, mesh["tp"], [Shard(0)])))
        mesh = mesh["fsdp"]
    for layer in model.layers.children():
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def save_titan(scratch, name, rank, group, mesh):
    config, kind = SAVED[name]
    weights = titan_weights(config)
    if config["tie_word_embeddings"]:
        shared = torch.nn.Parameter(weights["tok_embeddings.weight"].clone())
        weights["tok_embeddings.weight"] = weights["output.weight"] = shared
    model = sharded_tree(weights, kind, mesh, ("wq.weight", "wk.weight", "w1.weight", "w3.weight"))
    groups = [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.1},
              {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    tiny.train(model, optimizer)
    state = dict(get_model_state_dict(model))
    whole = {key: tiny.full(value) for key, value in state.items()}
    state["optimizer"] = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(flatten_optimizer_state_dict=True))
    state.update({"train_state": {"step": torch.tensor(2)}, "lr_scheduler": {"last_epoch": 2}})
    dcp.save(state, checkpoint_id=scratch / name / "step-2", process_group=group)
    if rank == 0:
        tiny.write_config(scratch / f"{name}_config", config)
        save_file(whole, scratch / f"{name}.truth")


# Name: configuration, and whether the experts of a layer are one module.
FSDP = {"fsdp": (LLAMA, True), "fsdp_moe": (tiny.MOE_CONFIG, True), "fsdp_sequential": (tiny.MOE_CONFIG, False)}
PADDING = 2  # rows of the vocabulary
WRAPPERS = "module.module.module."
SCHEDULE = {"max_lr": 0.01, "lr_warmup_steps": 3, "num_steps": 640, "lr_decay_style": "cosine"}


def core_weights(hf, config, grouped, split=True):
    """The tensors of Megatron with Transformer Engine's layers, whole; the halves of gated layers apart if `split`."""
    padding = torch.zeros(PADDING, config["hidden_size"])
    out = {"embedding.word_embeddings.weight": torch.cat([hf["model.embed_tokens.weight"], padding]),
           "decoder.final_layernorm.weight": hf["model.norm.weight"], "output_layer.weight": torch.cat([hf["lm_head.weight"], padding])}

    def gated(name, gate, up):
        out.update({f"{name}_w": gate, f"{name}_v": up} if split else {name: torch.cat([gate, up])})

    for number in range(config["num_hidden_layers"]):
        layer, ours = f"model.layers.{number}.", f"decoder.layers.{number}."
        attention, groups = layer + "self_attn.", config["num_key_value_heads"]
        parts = [hf[f"{attention}{name}_proj.weight"].view(groups, -1, config["hidden_size"]) for name in "qkv"]
        out[ours + "self_attention.linear_qkv.weight"] = torch.cat(parts, 1).reshape(-1, config["hidden_size"])
        out[ours + "self_attention.linear_qkv.layer_norm_weight"] = hf[layer + "input_layernorm.weight"]
        out[ours + "self_attention.linear_proj.weight"] = hf[attention + "o_proj.weight"]
        for name in "qk" if config["model_type"].startswith("qwen3") else "":
            out[f"{ours}self_attention.{name}_layernorm.weight"] = hf[f"{attention}{name}_norm.weight"]
        norm = hf[layer + "post_attention_layernorm.weight"]
        if "num_experts" not in config:
            out[ours + "mlp.linear_fc1.layer_norm_weight"] = norm
            gated(ours + "mlp.linear_fc1.weight", hf[layer + "mlp.gate_proj.weight"], hf[layer + "mlp.up_proj.weight"])
            out[ours + "mlp.linear_fc2.weight"] = hf[layer + "mlp.down_proj.weight"]
            continue
        out[ours + "pre_mlp_layernorm.weight"] = norm
        out[ours + "mlp.router.weight"] = hf[layer + "mlp.gate.weight"]
        for expert in range(config["num_experts"]):
            names = [f"mlp.experts.linear_fc{i}.weight{expert}" if grouped else f"mlp.experts.local_experts.{expert}.linear_fc{i}.weight" for i in (1, 2)]
            front = f"{layer}mlp.experts.{expert}."
            gated(ours + names[0], hf[front + "gate_proj.weight"], hf[front + "up_proj.weight"])
            out[ours + names[1]] = hf[front + "down_proj.weight"]
    return out


def like(hf, factor):
    return {name: torch.cos(value * factor) for name, value in hf.items()}


def uneven(name, value, begin, end):
    """The rows of a rank as a tensor that tells PyTorch's planner where it lies; one without rows is not written at all."""
    part = value[begin:end].clone()
    chunk = ChunkStorageMetadata(offsets=torch.Size([begin] + [0] * (value.dim() - 1)), sizes=part.shape)
    data = TensorWriteData(chunk=chunk, properties=TensorProperties.create_from_tensor(part), size=value.shape)
    item = WriteItem(index=MetadataIndex(name, chunk.offsets), type=WriteItemType.SHARD, tensor_data=data)
    part.__create_write_items__ = lambda fqn, _: [item] if part.numel() else []
    part.__create_chunk_list__ = lambda: [chunk] if part.numel() else []
    part.__get_tensor_shard__ = lambda index: part
    return part


def cut_by_buffer(tensors, rank, world, prefix):
    """One flat buffer of all tensors in `world` equal parts, each cut moved back to the row that it falls into."""
    total, before, out = sum(value.numel() for value in tensors.values()), 0, {}
    for name, value in tensors.items():
        row = value.numel() // value.shape[0]
        begin, end = (max(0, min(value.numel(), total * part // world - before)) // row for part in (rank, rank + 1))
        before += value.numel()
        out[name] = uneven(prefix(name), value, begin, value.shape[0] if rank + 1 == world and end * row > value.numel() - row else end)
    return out


def group_of(value):
    return {"wd_mult": 1.0 if value.dim() > 1 else 0.0, "lr_mult": 1.0, "is_expert_parallel": False, "is_decoupled_lr": False, "lr": 0.01,
            "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1 if value.dim() > 1 else 0.0, "bias_correction": True, "step": 5,
            "max_lr": 0.01, "min_lr": 0.0}


def save_megatron_fsdp(scratch, name, rank, world):
    config, grouped = FSDP[name]
    hf = hf_weights(config)
    weights = core_weights(hf, config, grouped)
    model = cut_by_buffer(weights, rank, world, lambda key: f"model.module.{key}")
    moments = {kind: cut_by_buffer(core_weights(like(hf, factor), config, grouped), rank, world,
                                   lambda key, kind=kind: f"optimizer.state.{WRAPPERS}{key}.{kind}")
               for kind, factor in (("exp_avg", 2), ("exp_avg_sq", 3))}
    state = {"model": {f"module.{key}": value for key, value in model.items()},
             "optimizer": {"state": {WRAPPERS + key: {kind: moments[kind][key] for kind in moments} for key in weights},
                           "param_to_group_meta": {WRAPPERS + key: group_of(value) for key, value in weights.items()}},
             "opt_param_scheduler": SCHEDULE, "args": argparse.Namespace(hidden_size=config["hidden_size"], use_megatron_fsdp=True),
             "checkpoint_version": 3.0, "iteration": 5}
    dcp.save(state, checkpoint_id=scratch / name / "iter_0000005")
    if rank == 0:
        (scratch / name / "latest_checkpointed_iteration.txt").write_text("5")
        tiny.write_config(scratch / f"{name}_config", config)


def save_torch_dcp(scratch, rank, mesh):
    """As Megatron saves a run with --use-torch-fsdp2."""
    model = Tree(core_weights(hf_weights(LLAMA), LLAMA, True, split=False))
    for layer in model.decoder.layers.children():
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    tiny.train(model, optimizer, steps=1)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "args": argparse.Namespace(use_torch_fsdp2=True),
             "iteration": 5, "checkpoint_version": 3.0}
    dcp.save(state, checkpoint_id=scratch / "torch_dcp" / "iter_0000005")
    whole = {key: tiny.full(value) for key, value in model.state_dict().items()}
    moments = {f"{kind}/{name}": tiny.full(optimizer.state[parameter][kind])
               for name, parameter in model.named_parameters() for kind in ("exp_avg", "exp_avg_sq")}
    if rank == 0:
        save_file(whole, scratch / "torch_dcp.truth")
        save_file(moments, scratch / "torch_dcp.moments")


def worker(rank, world, scratch):
    for name, (_, kind) in SAVED.items():
        ranks = 3 if kind == "three" else WORLD
        group, mesh = dist.new_group(list(range(ranks))), sharded.mesh_of(kind)
        if rank < ranks:
            save_titan(Path(scratch), name, rank, group, mesh)
        dist.barrier()
    for name in FSDP:
        save_megatron_fsdp(Path(scratch), name, rank, world)
    save_torch_dcp(Path(scratch), rank, sharded.mesh_of("four"))


def hf_of(titan, config):
    """The published rule, the other way round from titan_weights()."""
    out = {theirs: titan[ours] for ours, theirs in ENDS.items()}
    for number in range(config["num_hidden_layers"]):
        for ours, theirs in TITAN.items():
            value = titan.get(f"layers.{number}.{ours}")
            if value is None:
                continue
            if config["model_type"] == "llama" and ours in ("attention.wq.weight", "attention.wk.weight"):
                value = value.view(-1, config["head_dim"] // 2, 2, value.shape[1]).transpose(1, 2).reshape(value.shape)
            out[f"model.layers.{number}.{theirs}"] = value
        for ours, theirs in (("w1", "gate"), ("w3", "up"), ("w2", "down")) if "num_experts" in config else ():
            for expert, value in enumerate(titan[f"layers.{number}.moe.experts.{ours}"]):
                out[f"model.layers.{number}.mlp.experts.{expert}.{theirs}_proj.weight"] = value
    return out


def check_titan(checks, scratch, name):
    config, convert = SAVED[name][0], tool("ckpt_convert")
    source, truth = scratch / name, load_file(scratch / f"{name}.truth")
    described = ["--hf-cfg-dir", scratch / f"{name}_config"]
    hf, megatron, ours, again = (scratch / f"{name}_{part}" for part in ("hf", "mg", "dcp", "again"))
    wanted = hf_of(truth, config)
    if config["tie_word_embeddings"]:
        del wanted["lm_head.weight"]
    if run_ok(checks, convert, source, hf, "--to", "hf", *described):
        sharded.same_tensors(checks, load_file(hf / "model.safetensors"), wanted, f"{name} to Hugging Face")
    if run_ok(checks, convert, source, megatron, "--to", "mcore", "--tp", "1", "--pp", "2", "--optimizer", "keep", *described):
        run_ok(checks, convert, "verify", megatron, "--against", hf)
    # To the names of Hugging Face with the optimizer, and from these back: what torchtitan saved, but for what only it reads.
    keep = ["--to", "dcp", "--optimizer", "keep"]
    if run_ok(checks, convert, source, ours, *keep, *described) and run_ok(checks, convert, ours, again, *keep, "--names", "torchtitan"):
        found, saved = sharded.whole(again, scratch), sharded.whole(source / "step-2", scratch)
        saved.pop("train_state")
        checks.expect(sharded.equal(found, saved), f"{name} again: {sorted(found)} differs")
        run_ok(checks, convert, "verify", again, "--against", hf)
    if config["model_type"] == "llama":
        model = LlamaForCausalLM(LlamaConfig(**config)).eval()
        model.load_state_dict(load_file(hf / "model.safetensors"), strict=not config["tie_word_embeddings"])
        tokens = torch.arange(14).view(2, 7)
        with torch.no_grad():
            difference = (model(tokens).logits - titan_logits(truth, config, tokens)).abs().max()
        checks.expect(difference < 1e-4, f"{name}: transformers computes something else by {difference}")


def without_padding(tensors, config):
    return {name: value[:config["vocab_size"]] if "embeddings" in name or "output_layer" in name else value for name, value in tensors.items()}


def check_moments(checks, found, config, what):
    """The moments under the names of Hugging Face are what like() makes of its weights."""
    hf = hf_weights(config)
    for kind, factor in (("exp_avg", 2), ("exp_avg_sq", 3)):
        states = {key[len("state."):-len(kind) - 1]: value for key, value in found.items() if key.endswith(f".{kind}")}
        sharded.same_tensors(checks, states, like(hf, factor), f"{what}: {kind}")


def check_megatron_fsdp(checks, scratch, name):
    config, grouped = FSDP[name]
    convert, source, described = tool("ckpt_convert"), scratch / name, ["--hf-cfg-dir", scratch / f"{name}_config"]
    hf, megatron, ours, again, other = (scratch / f"{name}_{part}" for part in ("hf", "mg", "dcp", "again", "other"))
    truth = hf_weights(config)
    if run_ok(checks, convert, source, hf, "--to", "hf", *described):
        sharded.same_tensors(checks, load_file(hf / "model.safetensors"), truth, f"{name} to Hugging Face")
    layout = ["--tp", "1", "--pp", "2", "--optimizer", "keep", "--params-dtype", "bf16"]
    if run_ok(checks, convert, source, megatron, "--to", "mcore", *layout, *described):
        run_ok(checks, convert, "verify", megatron)
        rank = torch.load(megatron / "iter_0000005/mp_rank_00_000/model_optim_rng.pt", weights_only=False)
        checks.equal(rank["opt_param_scheduler"], SCHEDULE, f"{name}: the schedule in Megatron")
        if run_ok(checks, convert, megatron, other, "--to", "megatron-fsdp", "--optimizer", "keep"):
            check_written(checks, scratch, other, config, name, True)
    if run_ok(checks, convert, source, ours, "--to", "dcp", "--optimizer", "keep", *described):
        found = sharded.whole(ours, scratch)
        sharded.same_tensors(checks, found["model"], truth, f"{name} to DCP")
        check_moments(checks, found["optimizer"], config, name)
        if run_ok(checks, convert, ours, again, "--to", "megatron-fsdp", "--optimizer", "keep"):
            check_written(checks, scratch, again, config, f"{name} again", False)
            run_ok(checks, convert, "verify", again, "--against", source, *described)
    plain = scratch / f"{name}_plain"
    if run_ok(checks, convert, hf, plain, "--to", "megatron-fsdp"):
        run_ok(checks, convert, "verify", plain, "--against", hf)


def check_written(checks, scratch, directory, config, what, from_megatron):
    """What PyTorch finds is what the ranks saved: Megatron's grouped experts are what is written."""
    found, hf = sharded.whole(directory / "iter_0000005", scratch), hf_weights(config)
    wanted = without_padding(core_weights(hf, config, True), config)
    model = {name.removeprefix("module."): value for name, value in found["model"].items()}
    sharded.same_tensors(checks, without_padding(model, config), wanted, what)
    for kind, factor in (("exp_avg", 2), ("exp_avg_sq", 3)):
        states = {name.removeprefix(WRAPPERS): state[kind] for name, state in found["optimizer"]["state"].items()}
        wanted_states = without_padding(core_weights(like(hf, factor), config, True), config)
        sharded.same_tensors(checks, without_padding(states, config), wanted_states, f"{what}: {kind}")
    for name, value in wanted.items():
        group, given = found["optimizer"]["param_to_group_meta"][WRAPPERS + name], group_of(value)
        checks.expect(all(group[key] == given[key] for key in given if key not in ("max_lr", "min_lr")), f"{what}: the group of {name} is {group}")
    checks.equal((found["iteration"], found["checkpoint_version"], found["args"].hidden_size), (5, 3.0, config["hidden_size"]), what)
    schedule = found["opt_param_scheduler"]
    checks.expect(schedule == SCHEDULE if from_megatron else "lr_decay_style" in schedule, f"{what}: the schedule is {schedule}")


def check_torch_dcp(checks, scratch):
    convert, source, hf = tool("ckpt_convert"), scratch / "torch_dcp", scratch / "torch_dcp_hf"
    described = ["--hf-cfg-dir", scratch / "titan_config"]
    truth = load_file(scratch / "torch_dcp.truth")
    if run_ok(checks, convert, source, hf, "--to", "hf", *described):
        found = core_weights(load_file(hf / "model.safetensors"), LLAMA, True, split=False)
        sharded.same_tensors(checks, without_padding(found, LLAMA), without_padding(truth, LLAMA), "torch_dcp to Hugging Face")
    # Its optimizer numbers parameters; those of one group are the weights in their order.
    if run_ok(checks, convert, source, scratch / "torch_dcp_kept", "--to", "dcp", "--optimizer", "keep", *described):
        state = sharded.whole(scratch / "torch_dcp_kept", scratch)["optimizer"]["state"]
        for kind in ("exp_avg", "exp_avg_sq"):
            found = core_weights({name: value[kind] for name, value in state.items()}, LLAMA, True, split=False)
            wanted = {name.removeprefix(f"{kind}/"): value for name, value in load_file(scratch / "torch_dcp.moments").items() if name.startswith(kind + "/")}
            sharded.same_tensors(checks, without_padding(found, LLAMA), without_padding(wanted, LLAMA), f"torch_dcp: {kind}")


def check_refused(checks, scratch):
    """Without a config.json nothing says which model it is, and the names are not those of Hugging Face; torchtitan has no biases."""
    LlamaForCausalLM(LlamaConfig(**{**LLAMA, "attention_bias": True})).save_pretrained(scratch / "biased")
    biased = run(tool("ckpt_convert"), scratch / "biased", scratch / "nowhere", "--to", "dcp", "--names", "torchtitan")
    checks.expect(biased.returncode == 5 and "attention.q_bias of the family llama2 has no known name in torchtitan; " in biased.stderr,
                  f"a weight that torchtitan lacks: {biased.stderr}")
    refused = run(tool("ckpt_convert"), scratch / "titan", scratch / "nowhere", "--to", "hf")
    checks.expect(refused.returncode == 2 and "--hf-cfg-dir" in refused.stderr, f"torchtitan without a config: {refused.stderr}")


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        for name in SAVED:
            check_titan(checks, Path(scratch), name)
        for name in FSDP:
            check_megatron_fsdp(checks, Path(scratch), name)
        check_torch_dcp(checks, Path(scratch))
        check_refused(checks, Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
