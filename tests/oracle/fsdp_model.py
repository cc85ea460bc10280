"""A tiny model with the names of Qwen3, in shards of PyTorch's own: fully_shard over gloo, one process per rank.

The sizes are such that shards are uneven, and some are empty. Its forward is never run: the loss is a function of the
weights, which is enough for an optimizer to have a state.
"""

import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import nn

CONFIG = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 24, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "intermediate_size": 28, "vocab_size": 38,
          "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 64, "tie_word_embeddings": False,
          "hidden_act": "silu", "attention_bias": False, "torch_dtype": "float32"}
EXPERTS = 3
MOE_CONFIG = {**CONFIG, "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "num_experts": EXPERTS,
              "num_experts_per_tok": 2, "moe_intermediate_size": 10, "decoder_sparse_step": 1, "norm_topk_prob": True,
              "mlp_only_layers": []}


def norm(size):
    return nn.RMSNorm(size)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        q, kv = c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
        self.q_proj = nn.Linear(c["hidden_size"], q, bias=False)
        self.k_proj = nn.Linear(c["hidden_size"], kv, bias=False)
        self.v_proj = nn.Linear(c["hidden_size"], kv, bias=False)
        self.o_proj = nn.Linear(q, c["hidden_size"], bias=False)
        self.q_norm, self.k_norm = norm(c["head_dim"]), norm(c["head_dim"])


class Mlp(nn.Module):
    def __init__(self, hidden, size):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, size, bias=False)
        self.up_proj = nn.Linear(hidden, size, bias=False)
        self.down_proj = nn.Linear(size, hidden, bias=False)


class Experts(nn.Module):
    """As transformers stacks them since version 5, or as MindSpeed-LLM lays them out for grouped products."""

    def __init__(self, c, flattened):
        super().__init__()
        experts, hidden, size = c["num_experts"], c["hidden_size"], c["moe_intermediate_size"]
        gate_up, down = torch.randn(experts, 2 * size, hidden), torch.randn(experts, hidden, size)
        if flattened:
            gate_up = gate_up.transpose(1, 2).reshape(experts * hidden, 2 * size)
            down = down.transpose(1, 2).reshape(experts * size, hidden)
        self.gate_up_proj, self.down_proj = nn.Parameter(gate_up.contiguous()), nn.Parameter(down.contiguous())


class Moe(nn.Module):
    def __init__(self, c, flattened):
        super().__init__()
        self.gate = nn.Linear(c["hidden_size"], c["num_experts"], bias=False)
        self.experts = Experts(c, flattened)


class Layer(nn.Module):
    def __init__(self, c, flattened):
        super().__init__()
        self.self_attn = Attention(c)
        self.mlp = Moe(c, flattened) if "num_experts" in c else Mlp(c["hidden_size"], c["intermediate_size"])
        self.input_layernorm, self.post_attention_layernorm = norm(c["hidden_size"]), norm(c["hidden_size"])


class Body(nn.Module):
    def __init__(self, c, flattened):
        super().__init__()
        self.embed_tokens = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.layers = nn.ModuleList([Layer(c, flattened) for _ in range(c["num_hidden_layers"])])
        self.norm = norm(c["hidden_size"])


class Tiny(nn.Module):
    def __init__(self, config, flattened=False):
        super().__init__()
        self.model = Body(config, flattened)
        self.lm_head = nn.Linear(config["hidden_size"], config["vocab_size"], bias=False)
        if config["tie_word_embeddings"]:
            self.lm_head.weight = self.model.embed_tokens.weight


def build(config, flattened=False):
    """The same values on every rank and in every process; norms are not all ones."""
    torch.manual_seed(7)
    model = Tiny(config, flattened)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return model


def train(model, optimizer, steps=2):
    for step in range(steps):
        for name, parameter in model.named_parameters():
            local = parameter.to_local() if hasattr(parameter, "to_local") else parameter
            grad = torch.sin(local.detach() * (step + 1) + len(name))
            parameter.grad = type(parameter).from_local(grad, parameter.device_mesh, parameter.placements, shape=parameter.shape,
                                                        stride=parameter.stride()) if hasattr(parameter, "to_local") else grad
        optimizer.step()
        optimizer.zero_grad()


def full(tensor):
    tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return tensor.detach().cpu().clone().contiguous()


def hf_tensors(model_state, config):
    """The tensors as a Hugging Face checkpoint has them: flattened experts are stacked again."""
    out = {}
    for name, tensor in model_state.items():
        if "experts." in name and tensor.dim() == 2:
            tensor = tensor.reshape(config["num_experts"], -1, tensor.shape[1]).transpose(1, 2).contiguous()
        out[name] = tensor
    return out


def write_config(directory, config):
    Path(directory).mkdir(parents=True, exist_ok=True)
    (Path(directory) / "config.json").write_text(json.dumps(config))


def run(worker, world, *args):
    """`world` gloo processes of worker(rank, world, *args)."""
    store = os.path.join(str(args[0]), f"store{world}")
    torch.multiprocessing.start_processes(entry, args=(worker, world, store) + args, nprocs=world, start_method="fork")
    if os.path.exists(store):
        os.remove(store)


def entry(rank, worker, world, store, *args):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    worker(rank, world, *args)
    dist.barrier()
    dist.destroy_process_group()
