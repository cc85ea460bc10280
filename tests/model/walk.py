"""The guide docs/guides/train-a-model.md from its first to its last command, in one shell and an empty folder.

`ckpt_convert` and the scripts are real, with a tiny model of the family. In the place of git, pip3, hf, torchrun and python3 stand programs of this file:
they take only options that the real ones know, and leave behind what those would: sources, a model, data, checkpoints with the weights that were
loaded, adapters. So what comes back from a training has the bits of the source. What the guide says of memory is asked for the real model.

    walk.py
    walk.py --stand-in NAME WORDS      as NAME
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checkpoints import Tensor, read_hf_directory, write_safetensors  # noqa: E402
from checks import ROOT, Checks, make_tiny, run, temporary_directory, tool  # noqa: E402
from launch_scripts import known_options, options_in, rows_of  # noqa: E402
from patience import patience  # noqa: E402

GUIDE = "docs/guides/train-a-model.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
STAND_INS = ("git", "pip3", "hf", "torchrun", "python3")
# What the guide's model is: config.json of Qwen/Qwen3-8B.
MODEL = {"architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 12288,
         "max_position_embeddings": 40960, "model_type": "qwen3", "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8,
         "rms_norm_eps": 1e-06, "rope_theta": 1000000, "tie_word_embeddings": False, "torch_dtype": "bfloat16", "vocab_size": 151936}
# The programs of MindSpeed-LLM that the scripts start.
PROGRAMS = ("preprocess_data.py", "pretrain_gpt.py", "posttrain_gpt.py", "inference.py", "evaluation.py")


def wrong(message):
    sys.exit(f"stand-in: {message}")


def clone(words):
    name = Path(words[-1]).name.removesuffix(".git")
    Path(name).mkdir()
    inside = {"MindSpeed": ["requirements.txt"], "MindSpeed-LLM": ["requirements.txt", *PROGRAMS], "Megatron-LM": ["megatron/core/__init__.py"],
              "grade-school-math": ["grade_school_math/data/test.jsonl"]}
    for file in inside[name]:
        (Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
        (Path(name) / file).write_text(json.dumps({"question": "1 + 1?", "answer": "#### 2"}) + "\n")


def install(words):
    missing = [word for word in words if word.endswith(".txt") and not Path(word).is_file()]
    if words[0] != "install" or missing:
        wrong(f"pip3 {words}")


def download(words):
    if words[:2] != ["download", "Qwen/Qwen3-8B"]:
        wrong(f"hf {words}")
    shutil.copytree(os.environ["TINY"], words[words.index("--local-dir") + 1])


def last(directory):
    """The directory of the last iteration, of a checkpoint."""
    kept = Path(directory, "latest_checkpointed_iteration.txt").read_text().strip()
    return Path(directory, "release" if kept == "release" else f"iter_{int(kept):07d}")


def adapter_of(config, directory):
    """A PEFT adapter of a part of each layer's MLP."""
    directory.mkdir()
    shapes = {"A": (2, config["hidden_size"]), "B": (config["intermediate_size"], 2)}
    write_safetensors(directory / "adapter_model.safetensors",
                      {f"base_model.model.model.layers.{layer}.mlp.gate_proj.lora_{part}.weight": Tensor("BF16", shape, bytes([0, 0x3F] * (shape[0] * shape[1])))
                       for layer in range(config["num_hidden_layers"]) for part, shape in shapes.items()})
    (directory / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["gate_proj"]}))


def save(options, layout):
    """What a training leaves: the weights that it loaded, or an adapter beside them."""
    target, iteration = Path(options["--save"][0]), int(options["--train-iters"][0])
    if "--lora-r" in options:
        peft = Path(f"{target}_peft")
        adapter_of(json.loads(Path(os.environ["TINY"], "config.json").read_text()), peft)
        words = ["convert", os.environ["TINY"], target, "--lora-load", peft, "--save-lora", "--to", "mcore", *layout]
        done = run(tool("ckpt_convert"), *words)
        return done.returncode == 0 or wrong(f"{words}: {done.stderr}")
    shutil.copytree(last(options["--load"][0]), target / f"iter_{iteration:07d}")
    (target / "latest_checkpointed_iteration.txt").write_text(f"{iteration}\n")
    return True


def engine(words):
    at = max(index for index, word in enumerate(words) if word.endswith(".py"))
    program, options = Path(words[at]).name, options_in(words[at + 1:])
    takes = {row["name"]: row.get("takes", "") for row in rows_of("mindspeed-llm", program)}
    unknown = sorted(set(options) - known_options("mindspeed-llm", program))
    miscounted = [name for name, values in options.items() if takes.get(name) == "" and len(values) != 1]
    if not Path(words[at]).is_file() or unknown or miscounted:
        wrong(f"{program}: {unknown} are not known, {miscounted} have not one value")
    for name in ("--input", "--tokenizer-name-or-path", "--task-data-path"):
        if name in options and not Path(options[name][0]).exists():
            wrong(f"{program}: {name} {options[name][0]} is not there")
    if "--data-path" in options and not list(Path(options["--data-path"][0]).parent.glob(Path(options["--data-path"][0]).name + "*.bin")):
        wrong(f"{program}: no data {options['--data-path']}")
    if program == "preprocess_data.py":
        Path(options["--output-prefix"][0] + "_text_document.bin").write_bytes(b"")
    if "--load" in options and not any(last(options["--load"][0]).iterdir()):
        wrong(f"{program}: nothing to load")
    if "--save" in options:
        save(options, ["--tp", options["--tensor-model-parallel-size"][0], "--pp", options["--pipeline-model-parallel-size"][0]])
    print(f"{program} has run")


def stand_in(name, words):
    {"git": clone, "pip3": install, "hf": download}.get(name, engine)(words)


def walk(checks, work):
    home, folder = work / "home", work / "folder"
    (home / "Ascend/cann").mkdir(parents=True)
    (home / "Ascend/cann/set_env.sh").write_text("export ASCEND_HOME_PATH=/none\n")
    (work / "bin").mkdir()
    folder.mkdir()
    for name in STAND_INS:
        (work / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}" --stand-in {name} "$@"\n')
        (work / "bin" / name).chmod(0o755)
    text = (ROOT / GUIDE).read_text()
    blocks = BLOCK.findall(text)
    checks.equal({language for language, _ in blocks}, {"sh"}, "blocks of the guide are all commands")
    script = "set -euo pipefail\n" + "\n".join(f"echo '== block {number}'\n{block}" for number, (_, block) in enumerate(blocks))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASCEND", "ATB"))}
    environment = {**kept, "HOME": str(home), "TINY": str(work / "tiny"), "PATH": f"{work / 'bin'}:{Path(tool('ckpt_convert')).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience(600))
    if not checks.expect(done.returncode == 0, f"the guide ended with {done.returncode}: {done.stdout[-3000:]}{done.stderr[-3000:]}"):
        return
    checks.equal([done.stdout.count(f"{program} has run") for program in PROGRAMS], [2, 2, 2, 3, 2], "runs of each program")
    out = folder / "qwen3/scripts"
    # What was loaded was saved.
    source = read_hf_directory(work / "tiny")
    for name in ("hf_trained", "hf_pretrained"):
        checks.expect(read_hf_directory(out / name) == source, f"{name}: has the bits of the source")
    merged = read_hf_directory(out / "hf_merged")
    changed = {name.split(".", 3)[-1] for name in source if merged.get(name) != source[name]}
    checks.equal((sorted(merged), changed), (sorted(source), {"mlp.gate_proj.weight"}), "hf_merged: the adapter's weights are others")


def fits(checks, work):
    """Step 3: all trainings of the layout fit; those of a layout that does not are named."""
    (work / "real").mkdir()
    (work / "real/config.json").write_text(json.dumps(MODEL))
    for layout, wanted in ((["--tp", "2", "--pp", "2"], 0), (["--tp", "1", "--pp", "1"], 1)):
        done = run(tool("ckpt_convert"), "launch", work / "real", work / ("scripts" + layout[1]), "--devices", "8", "--device", "a2", *layout)
        checks.equal((done.returncode, min(1, done.stdout.count("does not fit") + done.stderr.count("does not fit"))), (0, wanted), f"{layout}: {done.stdout}{done.stderr}")


def main():
    checks = Checks()
    with temporary_directory() as name:
        make_tiny(checks, "qwen3", Path(name) / "tiny")
        walk(checks, Path(name))
        fits(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stand-in"]:
        stand_in(sys.argv[2], sys.argv[3:])
    else:
        main()
