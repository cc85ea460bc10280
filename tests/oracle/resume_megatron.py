"""A Llama of our own under FSDP2, and the same model in megatron-core on the CPU with TP 2 and PP 2: runs that hand over to each other."""

import logging
import os
import sys
import warnings
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).resolve().parent
VERSION = "0.16.1"
CONFIG = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128, "max_position_embeddings": 64, "rms_norm_eps": 1e-6,
          "rope_theta": 10000.0, "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "hidden_act": "silu",
          "torch_dtype": "float32"}
HEAD = CONFIG["hidden_size"] // CONFIG["num_attention_heads"]
SETTINGS = {"lr": 3e-3, "betas": (0.9, 0.95), "eps": 1e-8}
DECAY = 0.1


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


def turned(x, positions):
    """Rotary embedding: the first half of a head is turned with the second."""
    rates = CONFIG["rope_theta"] ** (-torch.arange(0, HEAD, 2).float() / HEAD)
    angles = torch.cat([torch.outer(positions.float(), rates)] * 2, -1)
    half = torch.cat([-x[..., HEAD // 2:], x[..., :HEAD // 2]], -1)
    return x * angles.cos() + half * angles.sin()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        hidden, groups = CONFIG["hidden_size"], CONFIG["num_key_value_heads"] * HEAD
        self.q_proj, self.k_proj, self.v_proj = linear(hidden, hidden), linear(hidden, groups), linear(hidden, groups)
        self.o_proj = linear(hidden, hidden)

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (-1, HEAD)).transpose(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj))
        positions = torch.arange(x.shape[1])
        q, k = turned(q, positions), turned(k, positions)
        k, v = (part.repeat_interleave(q.shape[1] // part.shape[1], 1) for part in (k, v))
        return self.o_proj(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        hidden, size = CONFIG["hidden_size"], CONFIG["intermediate_size"]
        self.gate_proj, self.up_proj, self.down_proj = linear(hidden, size), linear(hidden, size), linear(size, hidden)

    def forward(self, x):
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))


def norm():
    return nn.RMSNorm(CONFIG["hidden_size"], eps=CONFIG["rms_norm_eps"])


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.mlp = Attention(), Mlp()
        self.input_layernorm, self.post_attention_layernorm = norm(), norm()

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(CONFIG["vocab_size"], CONFIG["hidden_size"])
        self.layers, self.norm = nn.ModuleList([Layer() for _ in range(CONFIG["num_hidden_layers"])]), norm()


def loss_of(logits, ids):
    return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.lm_head = Body(), linear(CONFIG["hidden_size"], CONFIG["vocab_size"])

    def forward(self, ids):
        x = self.model.embed_tokens(ids)
        for layer in self.model.layers:
            x = layer(x)
        return loss_of(self.lm_head(self.model.norm(x)), ids)

    @property
    def blocks(self):
        return self.model.layers


def build():
    torch.manual_seed(5)
    return Llama()


def batch(step):
    return torch.randint(0, CONFIG["vocab_size"], (4, 12), generator=torch.Generator().manual_seed(step))


def adam(model, groups):
    """The groups of Megatron: matrices lose weight, vectors do not."""
    matrices, vectors = ([p for p in model.parameters() if (p.ndim > 1) == large] for large in (True, False))
    return torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}], **SETTINGS)


def find_megatron():
    """Whether megatron-core can be imported; before any rank is forked, so that it is imported once."""
    place = HERE.parents[1] / ".venv" / f"megatron-core-{VERSION}"
    if not (place / ".complete").exists():
        return False
    os.environ.update(TORCH_COMPILE_DISABLE="1")
    sys.path[1:1] = [str(HERE / "megatron"), str(place)]
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    import megatron.core.models.gpt  # noqa: F401
    import rank_training  # noqa: F401
    return True


def passed(models, topology, ids):
    """The loss on the last stage, after activations went forwards and their gradients backwards."""
    import torch.distributed as dist
    from megatron.core import parallel_state
    model = models[0]
    stage, within = parallel_state.get_pipeline_model_parallel_rank(), dist.get_rank() % topology.stage_size
    other = (1 - stage) * topology.stage_size + within
    length, count = ids.shape[1], ids.shape[0]
    positions = torch.arange(length).expand(count, length)
    masked = torch.ones(length, length, dtype=torch.bool).triu(1).reshape(1, 1, length, length)
    hidden = torch.empty(length, count, CONFIG["hidden_size"])
    if stage == 0:
        out = model(ids, positions, masked)
        dist.send(out.detach().contiguous(), other)
        dist.recv(hidden, other)
        out.backward(hidden)
        return None
    dist.recv(hidden, other)
    model.set_input_tensor(hidden.requires_grad_())
    loss = loss_of(model(ids, positions, masked), ids)
    loss.backward()
    dist.send(hidden.grad.contiguous(), other)
    return loss.item()


def megatron_run(rank, world, scratch, source, target, first, last, losses):
    """Steps from `first` to `last` of a run whose files were converted; saved behind them."""
    import argparse
    import json
    import cpu_megatron
    import gpt_builder
    import rank_training
    import training_files
    from families import FAMILIES, describe
    from megatron.core import parallel_state
    from megatron.core.optimizer import OptimizerConfig
    from topologies import Topology
    cpu_megatron.patch()
    torch.serialization.add_safe_globals([argparse.Namespace])
    topology = Topology(2, 2)
    parallel_state.initialize_model_parallel(topology.tensor, topology.pipeline)
    description = describe(FAMILIES[0], {**CONFIG, "rope_parameters": {"rope_theta": CONFIG["rope_theta"]}})
    models = [model.train() for model in gpt_builder.build(description, topology)]
    rank_training.optimizer_config = lambda: OptimizerConfig(
        optimizer="adam", lr=SETTINGS["lr"], min_lr=0.0, weight_decay=DECAY, adam_beta1=SETTINGS["betas"][0],
        adam_beta2=SETTINGS["betas"][1], adam_eps=SETTINGS["eps"], params_dtype=torch.float32, use_distributed_optimizer=True, clip_grad=0.0)
    trainer = rank_training.Trainer(models, torch.float32)
    place = topology.rank_directory(parallel_state.get_tensor_model_parallel_rank(), parallel_state.get_pipeline_model_parallel_rank(), 0)
    with torch.no_grad():  # parts of float32 parameters are views of them
        trainer.resume(Path(source) / f"iter_{first:07d}" / place, ["model"])
    found = []
    for step in range(first, last):
        for wrapped in trainer.wrapped:
            wrapped.zero_grad_buffer()
        found.append(passed(models, topology, batch(step)))
        with rank_training.types_of_cuda():
            trainer.optimizer.prepare_grads()
            trainer.optimizer.step_with_ready_grads()
    directory = Path(target) / f"iter_{last:07d}" / place
    directory.mkdir(parents=True)
    trainer.save(directory, ["model"], description, topology, last)
    if rank == 0:
        training_files.write_tracker(Path(target), last)
    if rank == world - 1:
        Path(losses).write_text(json.dumps(found))
