"""Plans and moves a 70B-parameter checkpoint that takes no space: sparse files, and an output that is thrown away.

    sparse_bench.py [--layers N] [--directory DIR]

Shows that time and memory of the plan, and memory of the whole conversion, do not grow with the model.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("MIGRATION_BIN", ROOT / "build/release/bin"))
# Llama 3 70B.
CONFIG = {"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64,
          "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": False}
RUNS = {
    "dry run, TP 8 PP 4": ["ckpt_convert", "--dry-run", "--tp", "8", "--pp", "4"],
    "null sink, TP 1": ["null_sink"],
    "null sink, TP 8 PP 4": ["null_sink", "--tp", "8", "--pp", "4"],
    "null sink, torch_dist": ["null_sink", "--target", "mcore", "--ckpt-format", "torch_dist"],
}


def layer_tensors(layer):
    hidden, ffn = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    groups = hidden // CONFIG["num_attention_heads"] * CONFIG["num_key_value_heads"]
    shapes = {"self_attn.q_proj": [hidden, hidden], "self_attn.k_proj": [groups, hidden],
              "self_attn.v_proj": [groups, hidden], "self_attn.o_proj": [hidden, hidden],
              "mlp.gate_proj": [ffn, hidden], "mlp.up_proj": [ffn, hidden], "mlp.down_proj": [hidden, ffn],
              "input_layernorm": [hidden], "post_attention_layernorm": [hidden]}
    return {f"model.layers.{layer}.{name}.weight": shape for name, shape in shapes.items()}


def write_sparse(path, tensors):
    header, offset = {}, 0
    for name, shape in tensors.items():
        size = 2
        for extent in shape:
            size *= extent
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.truncate(8 + len(text) + offset)


def write_model(directory, layers):
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": layers}))
    shape = [CONFIG["vocab_size"], CONFIG["hidden_size"]]
    shards = [{"model.embed_tokens.weight": shape}]
    shards += [layer_tensors(layer) for layer in range(layers)]
    shards.append({"model.norm.weight": shape[1:], "lm_head.weight": shape})
    for number, tensors in enumerate(shards, 1):
        write_sparse(directory / f"model-{number:05}-of-{len(shards):05}.safetensors", tensors)


def run(command):
    """Wall seconds, peak memory in bytes, and the output of a child."""
    started = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {command}")
    return time.monotonic() - started, usage.ru_maxrss * 1024, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=80)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        source = Path(directory) / "model"
        write_model(source, options.layers)
        for name, (program, *arguments) in RUNS.items():
            command = [BIN / program, "--load-dir", source, "--save-dir", Path(directory) / "out", *arguments]
            seconds, peak, output = run(command)
            told = output.strip() if program == "null_sink" else f"{seconds:.1f} s, peak {peak / 1e6:.1f} MB"
            print(f"{name:24} {told}", flush=True)


if __name__ == "__main__":
    main()
