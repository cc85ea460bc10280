"""Plans a DeepSeek-V3 of 671B parameters that a run with ZeRO 3 saved, in files that take no space.

    zero_bench.py [--layers N] [--ranks N] [--directory DIR]

Needs the .venv of ./test.sh, with whose PyTorch the files are written.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sparse_bench import BIN, run  # noqa: E402

CONFIG = {"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
          "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
          "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256, "n_shared_experts": 1,
          "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8, "topk_group": 4,
          "num_nextn_predict_layers": 0, "vocab_size": 129280, "tie_word_embeddings": False, "norm_topk_prob": True,
          "scoring_func": "sigmoid", "topk_method": "noaux_tc", "routed_scaling_factor": 2.5}
RUNS = {"to Hugging Face": ["--to", "hf"], "to DCP with the optimizer": ["--to", "dcp", "--optimizer", "keep"],
        "to Megatron, TP 8 EP 32": ["--to", "mcore", "--tp", "8", "--ep", "32"],
        "to Megatron, TP 8 EP 32, with the optimizer": ["--to", "mcore", "--tp", "8", "--ep", "32", "--optimizer", "keep"],
        "to Megatron-FSDP with the optimizer": ["--to", "megatron-fsdp", "--optimizer", "keep"],
        "to universal with the optimizer": ["--to", "universal", "--optimizer", "keep"],
        "to ZeRO 3 of 64 ranks with the optimizer": ["--to", "zero", "--stage", "3", "--world", "64", "--optimizer", "keep"],
        "to DTensors of 8 ranks with the optimizer": ["--to", "dtensor", "--world", "8", "--optimizer", "keep"]}


def mlp(prefix, hidden, size):
    return {f"{prefix}.gate_proj.weight": [size, hidden], f"{prefix}.up_proj.weight": [size, hidden], f"{prefix}.down_proj.weight": [hidden, size]}


def shapes(layers):
    c = CONFIG
    hidden, heads, rope = c["hidden_size"], c["num_attention_heads"], c["qk_rope_head_dim"]
    out = {"model.embed_tokens.weight": [c["vocab_size"], hidden]}
    for layer in range(layers):
        front = f"model.layers.{layer}"
        attention = {"q_a_proj": [c["q_lora_rank"], hidden], "q_a_layernorm": [c["q_lora_rank"]],
                     "q_b_proj": [heads * (c["qk_nope_head_dim"] + rope), c["q_lora_rank"]],
                     "kv_a_proj_with_mqa": [c["kv_lora_rank"] + rope, hidden], "kv_a_layernorm": [c["kv_lora_rank"]],
                     "kv_b_proj": [heads * (c["qk_nope_head_dim"] + c["v_head_dim"]), c["kv_lora_rank"]],
                     "o_proj": [hidden, heads * c["v_head_dim"]]}
        out |= {f"{front}.self_attn.{name}.weight": shape for name, shape in attention.items()}
        if layer < c["first_k_dense_replace"]:
            out |= mlp(f"{front}.mlp", hidden, c["intermediate_size"])
        else:
            out |= {f"{front}.mlp.gate.weight": [c["n_routed_experts"], hidden], f"{front}.mlp.gate.e_score_correction_bias": [c["n_routed_experts"]]}
            for expert in range(c["n_routed_experts"]):
                out |= mlp(f"{front}.mlp.experts.{expert}", hidden, c["moe_intermediate_size"])
            out |= mlp(f"{front}.mlp.shared_experts", hidden, c["moe_intermediate_size"])
        out |= {f"{front}.{name}.weight": [hidden] for name in ("input_layernorm", "post_attention_layernorm")}
    return out | {"model.norm.weight": [hidden], "lm_head.weight": [c["vocab_size"], hidden]}


def write(path, content):
    import torch
    with torch.serialization.skip_data(materialize_fake_tensors=True):
        torch.save(content, path)


def write_run(directory, layers, ranks):
    """In a process of its own: a program that is started is said to have had the memory of the process that starts it."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": layers}))
    of_model = shapes(layers)
    length = sum(-(-torch.Size(shape).numel() // ranks) for shape in of_model.values())
    torch.save({"module": {name: torch.empty(0, dtype=torch.bfloat16) for name in of_model}, "buffer_names": [], "ds_version": "0.19.8",
                "param_shapes": [{name: torch.Size(shape) for name, shape in of_model.items()}]},
               directory / "zero_pp_rank_0_mp_rank_00_model_states.pt")
    with FakeTensorMode():
        for rank in range(ranks):
            state = {"state": {0: {"step": 3, "exp_avg": torch.empty(length), "exp_avg_sq": torch.empty(length)}},
                     "param_groups": [{"lr": 1e-4, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1, "params": [0]}]}
            write(directory / f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt",
                  {"ds_version": "0.19.8", "optimizer_state_dict": {"zero_stage": 3, "partition_count": ranks, "fp32_flat_groups": [torch.empty(length)],
                                                                    "optimizer_state_dict": state}})
    print(f"{sum(torch.Size(shape).numel() for shape in of_model.values()) / 1e9:.0f}B parameters, {ranks} ranks", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=CONFIG["num_hidden_layers"])
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        source = Path(directory) / "zero"
        writer = multiprocessing.get_context("spawn").Process(target=write_run, args=(source, options.layers, options.ranks))
        writer.start()
        writer.join()
        for name, arguments in RUNS.items():
            seconds, peak, _ = run([BIN / "ckpt_convert", "--dry-run", source, Path(directory) / "out", *arguments])
            print(f"{name:34} {seconds:.1f} s, peak {peak / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
