"""Measures conversions against copying the same bytes: wall and CPU time as ratios to `cp -r`, and peak memory.

    convert_bench.py [--gigabytes N] [--rounds N] [--directory DIR] [CASE...]

Each round copies the source with cp, then runs every case, so that both see the same machine; the figures are medians. A
ratio below 1 is faster than cp. Not part of the tests: figures depend on the machine.
"""

import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MIGRATION_BIN", ROOT / "build/release/bin")) / "ckpt_convert"
HIDDEN, FFN, HEADS, GROUPS, VOCAB = 4096, 11008, 32, 8, 32000

# Name: (source, options). "one" is a single file, "many" shards of about 200 MB, "mcore" a TP 2 x PP 2 checkpoint, "dcp" one of
# torch.distributed.checkpoint, "ranks" files of DTensors for eight ranks.
CASES = {
    "one file, TP 1": ("one", []),
    "shards, TP 1": ("many", []),
    "shards, TP 8": ("many", ["--tp", "8"]),
    "shards, PP 8": ("many", ["--pp", "8"]),
    "shards, TP 2 PP 2 VPP": ("many", ["--tp", "2", "--pp", "2", "--num-layers-per-virtual-pipeline-stage", "1"]),
    "shards, torch_dist": ("many", ["--target", "mcore", "--ckpt-format", "torch_dist"]),
    "shards, TP 2, cast to fp16": ("many", ["--tp", "2", "--params-dtype", "fp16"]),
    "mcore, TP 8": ("mcore", ["--save-model-type", "mg", "--tp", "8"]),
    "mcore, Hugging Face": ("mcore", []),
    "shards, DCP": ("many", ["--to", "dcp"]),
    "DCP, Hugging Face": ("dcp", ["--to", "hf"]),
    "DCP, mcore, TP 2 PP 2": ("dcp", ["--to", "mcore", "--tp", "2", "--pp", "2"]),
    "DCP, DTensors of 8 ranks": ("dcp", ["--to", "dtensor", "--world", "8"]),
    "DTensors of 8 ranks, Hugging Face": ("ranks", ["--to", "hf"]),
}


def layer_tensors(layer):
    prefix = f"model.layers.{layer}."
    yield prefix + "self_attn.q_proj.weight", [HIDDEN, HIDDEN]
    yield prefix + "self_attn.k_proj.weight", [HIDDEN // HEADS * GROUPS, HIDDEN]
    yield prefix + "self_attn.v_proj.weight", [HIDDEN // HEADS * GROUPS, HIDDEN]
    yield prefix + "self_attn.o_proj.weight", [HIDDEN, HIDDEN]
    yield prefix + "mlp.gate_proj.weight", [FFN, HIDDEN]
    yield prefix + "mlp.up_proj.weight", [FFN, HIDDEN]
    yield prefix + "mlp.down_proj.weight", [HIDDEN, FFN]
    yield prefix + "input_layernorm.weight", [HIDDEN]
    yield prefix + "post_attention_layernorm.weight", [HIDDEN]


def all_tensors(layers):
    yield "model.embed_tokens.weight", [VOCAB, HIDDEN]
    for layer in range(layers):
        yield from layer_tensors(layer)
    yield "model.norm.weight", [HIDDEN]
    yield "lm_head.weight", [VOCAB, HIDDEN]


def byte_count(shape):
    count = 2
    for extent in shape:
        count *= extent
    return count


def write_file(path, tensors, block):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [offset, offset + byte_count(shape)]}
        offset += byte_count(shape)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        while offset > 0:
            out.write(block[:offset])
            offset -= min(offset, len(block))


def write_model(directory, layers, shard_bytes):
    directory.mkdir(parents=True)
    config = {"model_type": "llama", "num_hidden_layers": layers, "hidden_size": HIDDEN, "intermediate_size": FFN,
              "num_attention_heads": HEADS, "num_key_value_heads": GROUPS, "vocab_size": VOCAB,
              "tie_word_embeddings": False}
    (directory / "config.json").write_text(json.dumps(config))
    shards, filled = [[]], 0
    for tensor in all_tensors(layers):
        if filled > 0 and filled + byte_count(tensor[1]) > shard_bytes:
            shards.append([])
            filled = 0
        shards[-1].append(tensor)
        filled += byte_count(tensor[1])
    block = os.urandom(1 << 24).replace(b"\x7f", b"\x3f").replace(b"\xff", b"\xbf")  # no infinite values
    for number, shard in enumerate(shards, 1):
        name = "model.safetensors" if len(shards) == 1 else f"model-{number:05}-of-{len(shards):05}.safetensors"
        write_file(directory / name, shard, block)


def run(command):
    """Wall and CPU seconds and peak memory of a child in bytes."""
    started = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {command}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def settle(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.sync()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    layer_bytes = sum(byte_count(shape) for _, shape in layer_tensors(0))
    layers = max(8, int(options.gigabytes * 1e9 / layer_bytes) // 8 * 8)
    cases = {name: CASES[name] for name in options.cases or CASES}
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        work = Path(directory)
        write_model(work / "one", layers, 1 << 60)
        write_model(work / "many", layers, 200_000_000)
        run([PROGRAM, "-q", "--load-dir", work / "many", "--save-dir", work / "mcore", "--tp", 2, "--pp", 2])
        for kind, arguments in (("dcp", []), ("dtensor", ["--world", 8])):
            target = work / {"dtensor": "ranks"}.get(kind, kind)
            run([PROGRAM, "-q", "--load-dir", work / "many", "--save-dir", target, "--to", kind, *arguments])
        size = sum(file.stat().st_size for file in (work / "many").rglob("*") if file.is_file())
        print(f"{layers} layers, {size / 1e9:.2f} GB, {options.rounds} rounds")
        times, peaks = {name: [] for name in cases}, {name: 0 for name in cases}
        for _ in range(options.rounds):
            for name, (source, arguments) in cases.items():
                settle(work / "copy")
                copied, copied_cpu, _ = run(["cp", "-r", work / source, work / "copy"])
                settle(work / "copy")
                seconds, cpu, peak = run([PROGRAM, "-q", "--load-dir", work / source, "--save-dir", work / "out", *arguments])
                settle(work / "out")
                times[name].append((seconds / copied, seconds, cpu / copied_cpu))
                peaks[name] = max(peaks[name], peak)
        print(f"{'case':34} {'ratio to cp':>12} {'CPU to cp':>10} {'seconds':>9} {'GB/s':>6} {'peak MB':>8}")
        for name in cases:
            ratio, seconds, cpu = (statistics.median(figures) for figures in zip(*times[name]))
            print(f"{name:34} {ratio:12.2f} {cpu:10.2f} {seconds:9.2f} {size / seconds / 1e9:6.2f} {peaks[name] / 1e6:8.1f}")


if __name__ == "__main__":
    main()
