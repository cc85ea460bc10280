"""The scripts that `ckpt_convert plan` names are those of the plan: for published models, each layout that it prints is written by
`ckpt_convert launch`, and `launch --check` finds nothing in it, its estimate of the memory included.

    launch_plans.py [--all] [NAME...]        without --all two layouts of each model
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from launch_mistakes import MODELS  # noqa: E402

# What is planned of a model: several devices, engines, sequences, and with what.
PLANS = {
    "qwen3": (["--devices", "8", "--device", "a2"], ["--devices", "32", "--device", "a3", "--seq-length", "32768"],
              ["--devices", "8", "--device", "a2", "--engine", "fsdp2"],
              ["--devices", "8", "--device", "a2", "--engine", "fsdp2", "--with", "recompute-mlp,chunk-loss:2048,bf16-reduce"],
              ["--devices", "8", "--device", "a2", "--engine", "megatron"],
              ["--devices", "8", "--device", "a2", "--engine", "megatron", "--tp", "2", "--pp", "2", "--with", "swap-attention,recompute-norm"]),
    "llama31": (["--devices", "8", "--device", "910b4", "--tp", "1", "--pp", "1", "--with", "recompute-full,swap-optimizer"],
                ["--devices", "16", "--device", "a2", "--with", "no-distributed-optimizer"]),
    "qwen25": (["--devices", "8", "--device", "a2", "--tp", "4", "--pp", "2", "--num-layer-list", "15,13"],),
    "qwen3_moe": (["--devices", "64", "--device", "a2"], ["--devices", "16", "--device", "a2", "--engine", "megatron"]),
    "deepseek3": (["--devices", "512", "--device", "a2"], ["--devices", "512", "--device", "a2", "--tp", "4", "--pp", "8", "--ep", "32",
                  "--etp", "1", "--schedules-method", "dualpipev", "--noop-layers", "61,62,63", "--with", "recompute-full,swap-optimizer",
                  "--global-batch-size", "3840"]),
}

REFUSALS = ("does not know", "is longer than the")


def converter(*words):
    return run(tool("ckpt_convert"), *words)


def layout_of(words):
    """The options of a layout by name, from a command or from a script."""
    text = " ".join(shlex.split(words.replace("\\\n", " ")))
    return dict(re.findall(r"--(tp|pp|ep|etp|num-layer-list|noop-layers|pipeline-model-parallel-layout|schedules-method) (\S+)", text))


def check_plan(checks, what, plan, model, device, out):
    command = shlex.split(plan["scripts"])
    checks.equal(command[:3], ["ckpt_convert", "launch", str(model)], f"{what}: {plan['scripts']}")
    command[3] = str(out)
    done = converter(*command[1:])
    if not checks.expect(done.returncode == 0, f"{what}: {' '.join(command)}: {done.stderr}"):
        return
    checks.expect("pretrain.sh does not fit" not in done.stdout, f"{what}: {done.stdout}")
    found = converter("launch", "--check", out / "pretrain.sh", "--model", model, "--device", device, "--json")
    checks.equal(json.loads(found.stdout)["findings"], [], f"{what}: --check")
    conversion = out / "convert_to_mcore.sh"
    if conversion.exists() and "torch_dist" not in conversion.read_text():
        checks.equal(layout_of(conversion.read_text()), layout_of(plan["conversion"]), f"{what}: the conversion of plan and script")
    if shutil.which("shellcheck"):
        done = subprocess.run(["shellcheck", *out.glob("*.sh")], capture_output=True, text=True)
        checks.expect(done.returncode == 0, f"{what}: shellcheck: {done.stdout}")


def check_family(checks, path, directory, most):
    """Of every family, what is planned can be written: planner, converter and scripts agree on what layouts there are."""
    model = directory / f"case_{path.stem}"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(json.loads(path.read_text())["config"]))
    for engine, target in (("mindspeed", "mindspeed-llm"), ("megatron", "megatron")):
        what = f"{path.stem}, {engine}"
        planned = converter("plan", model, "--devices", "8", "--device", "a2", "--engine", engine, "--seq-length", "64", "--json")
        if not checks.expect(planned.returncode in (0, 1), f"{what}: {planned.stderr}"):
            continue
        for rank, plan in enumerate(json.loads(planned.stdout)["plans"][:most]):
            command = shlex.split(plan["scripts"])
            command[3] = str(directory / f"{path.stem}_{engine}_{rank}")
            done = converter(*command[1:])
            # What the target's program has no option for has no scripts, whatever the layout; nor has a model without positions.
            is_refused = any(word in done.stderr for word in REFUSALS)
            checks.expect(done.returncode == 0 or is_refused, f"{what}: {' '.join(command)}: {done.stderr}")
            shutil.rmtree(command[3], ignore_errors=True)


def rows_of(text):
    return re.findall(r"--(padded-vocab-size|make-vocab-size-divisible-by) (\d+)", text)


def check_vocabulary(checks, directory):
    """Planner, converter and scripts fill up a vocabulary that TP does not divide in one way: the states of the first stage show its rows."""
    model = directory / "odd_vocabulary"
    model.mkdir()
    config = {**MODELS["llama31"], "vocab_size": 1003, "num_hidden_layers": 4}
    (model / "config.json").write_text(json.dumps(config))
    layout = ["--devices", "8", "--device", "a2", "--tp", "2", "--pp", "2"]
    done = converter("plan", model, *layout)
    checks.equal(done.returncode, 2, f"an odd vocabulary: {done.stdout}")
    counts = {}
    for words, rows in ((["--padded-vocab-size", "1024"], 1024), (["--make-vocab-size-divisible-by", "1"], 1004),
                        (["--make-vocab-size-divisible-by", "128"], 1024), (["--vocab-padding", "megatron"], 1024)):
        what = f"an odd vocabulary, {' '.join(words)}"
        planned = converter("plan", model, *layout, *words, "--json")
        if not checks.expect(planned.returncode == 0, f"{what}: {planned.stderr}"):
            continue
        plan = json.loads(planned.stdout)["plans"][0]
        counts[rows] = plan["stages"][0]["dense_parameters"]
        checks.expect(" ".join(words) in plan["conversion"], f"{what}: {plan['conversion']}")
        out = directory / f"odd_{rows}_{words[0]}"
        check_plan(checks, what, plan, model, "a2", out)
        if out.exists():
            checks.equal(rows_of((out / "model.sh").read_text())[0], ("padded-vocab-size", str(rows)), f"{what}: model.sh")
            checks.expect(" ".join(words) in (out / "convert_to_mcore.sh").read_text(), f"{what}: convert_to_mcore.sh")
    if len(counts) == 2:
        checks.equal(counts[1024] - counts[1004], 20 * config["hidden_size"] / 2, "parameters of the rows")


BUFFER = re.compile(r'^export HCCL_BUFFSIZE="\$\{HCCL_BUFFSIZE:-(\d+)\}"$', re.M)
# Of a job: what launch sets HCCL_BUFFSIZE to, and what it says of memory.
BUFFERS = [
    (["--device", "a2", "--seq-length", "13312"], None, ""),
    (["--device", "a2", "--seq-length", "14336"], "112", "pretrain.sh needs 53.9 GiB of each device by estimate, and 53.8 can be had; it fits with HCCL_BUFFSIZE=112"),
    (["--device", "a2", "--seq-length", "16384"], None, "pretrain.sh does not fit by estimate"),
    (["--device", "a2", "--seq-length", "32768"], "256", "pretrain.sh does not fit by estimate"),
    (["--seq-length", "14336"], None, ""),
]


def check_buffers(checks, directory):
    """HCCL_BUFFSIZE is left alone, but for messages that are larger and for memory that is short; a check counts what the script sets."""
    model, out = directory / "qwen3", directory / "buffers"

    def found(environment):
        (out / "environment.sh").write_text(environment)
        done = converter("launch", "--check", out / "pretrain.sh", "--model", model, "--device", "a2", "--json")
        return [(item["id"], item["right"]) for item in json.loads(done.stdout)["findings"]]

    for words, size, said in BUFFERS:
        shutil.rmtree(out, ignore_errors=True)
        done = converter("launch", model, out, "--devices", "8", "--tp", "2", "--pp", "4", *words)
        notes = "".join(line for line in done.stdout.splitlines(True) if "pretrain.sh" in line and line.startswith("note"))
        checks.expect(done.returncode == 0 and said in notes and (said != "" or notes == ""), f"{words}: {done.stderr or notes}")
        environment = (out / "environment.sh").read_text()
        checks.equal(BUFFER.findall(environment), [size] if size else [], f"{words}: HCCL_BUFFSIZE")
        if size == "112":
            smaller = ("memory", "HCCL_BUFFSIZE=112: a communicator takes it twice, and no message is larger")
            checks.equal(found(environment), [], f"{words}: --check")
            checks.equal(found(BUFFER.sub("", environment)), [smaller], f"{words}: without it")
            checks.equal(found(BUFFER.sub("export HCCL_BUFFSIZE=400", environment)), [smaller], f"{words}: with more")
        if words == BUFFERS[0][0]:
            checks.equal([id for id, _ in found(environment + "export HCCL_BUFFSIZE=4000\n")], ["memory"], f"{words}: with 4000")


def check_swapped_attention(checks, directory):
    out = directory / "swapped"
    done = converter("launch", directory / "qwen3", out, "--target", "megatron", "--tp", "2", "--pp", "2", "--with", "swap-attention,recompute-norm,recompute-mlp")
    if checks.expect(done.returncode == 0, f"attention on the host: {done.stderr}"):
        wanted = ["--fine-grained-activation-offloading", "--offload-modules attn_norm qkv_linear core_attn attn_proj",
                  "--recompute-granularity selective", "--recompute-modules layernorm mlp"]
        found = [line.strip() for line in (out / "model.sh").read_text().splitlines() if "offload" in line or "recompute" in line]
        checks.equal(found, wanted, "attention on the host, Megatron")


def main():
    checks = Checks()
    wanted = [name for name in sys.argv[1:] if name != "--all"] or list(PLANS)
    most = None if "--all" in sys.argv else 2
    with temporary_directory() as directory:
        for name in wanted:
            model = Path(directory) / name
            model.mkdir()
            (model / "config.json").write_text(json.dumps(MODELS[name]))
            for number, words in enumerate(PLANS[name]):
                what = f"{name} {' '.join(words)}"
                planned = converter("plan", model, *words, "--json")
                plans = json.loads(planned.stdout)["plans"] if planned.returncode in (0, 1) else []
                if not checks.expect(plans, f"{what}: {planned.stderr}"):
                    continue
                for rank, plan in enumerate(plans[:most]):
                    out = Path(directory) / f"{name}_{number}_{rank}"
                    check_plan(checks, f"{what}, {rank + 1}", plan, model, words[3], out) if plan["fits"] else None
            # One command from the config to the scripts.
            out = Path(directory) / f"{name}_at_once"
            done = converter("launch", model, out, *PLANS[name][0][:4])
            if checks.expect(done.returncode == 0, f"{name}: {done.stderr}"):
                found = converter("launch", "--check", out / "pretrain.sh", "--model", model, "--device", PLANS[name][0][3], "--json")
                checks.equal(json.loads(found.stdout)["findings"], [], f"{name}: scripts of the best layout")
        if "qwen3" in wanted:
            check_vocabulary(checks, Path(directory))
            check_swapped_attention(checks, Path(directory))
            check_buffers(checks, Path(directory))
        for number, path in enumerate(sorted((ROOT / "rules/models/cases").glob("*.json"))):
            if most is None or number % 8 == 3:
                check_family(checks, path, Path(directory), most)
    checks.finish()


if __name__ == "__main__":
    main()
