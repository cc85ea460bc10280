"""What `ckpt_convert plan` says adds up, for random trainings: the parts of --explain are the stage's activations, the lines of a stage
are its peak, and what an idea frees is what a plan with that idea needs less. Calibrated by a peak, the plan of that layout has this peak.

    plan_sums.py [--seed N] [--count N]
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

CHOICES = json.loads((ROOT / "rules/planner/choices.json").read_text())["choices"]
LINES = ("weights", "gradients", "optimizer", "activations", "working", "buffers")
GIB = 1 << 30


def sizes(rng):
    heads = rng.choice([8, 16, 32])
    out = {"layers": rng.choice([4, 8, 16, 24]), "heads": heads, "hidden": heads * rng.choice([64, 128]), "ffn": rng.choice([1024, 8192, 11008]),
           "vocab": rng.choice([32000, 50257, 151936]), "tied": rng.randrange(2), "gated": rng.randrange(2), "bias": rng.randrange(2)}
    if rng.random() < 0.3:
        out |= {"kv_rank": 512, "nope_dim": 128, "rope_dim": 64, "value_dim": 128, "q_rank": rng.choice([0, 1536])}
    else:
        out |= {"kv_heads": rng.choice([heads, heads // 2, heads // 4])}
    if rng.random() < 0.4:
        out |= {"experts": 16, "topk": rng.choice([2, 4]), "moe_ffn": 1024, "shared_ffn": rng.choice([0, 2048]), "dense_layers": rng.randrange(3)}
    if rng.random() < 0.2:
        out |= {"mtp": 1}
    return out


def modules_apart(rng, layers, stages):
    """The layers on the first stages, and modules for multi-token prediction on a stage before the loss or with it."""
    apart = stages > 2 and rng.random() < 0.7
    dealt = stages - 2 if apart else stages
    return "E" + "|".join(f"t*{layers // dealt + (i < layers % dealt)}" for i in range(dealt)) + ("|m|L" if apart else "mL")


def job(rng):
    """The words of a plan; some are not legal."""
    engine = rng.choice(["mindspeed", "mindspeed", "megatron", "megatron", "fsdp2"])
    model = sizes(rng)
    words = ["--engine", engine, "--device", rng.choice(["a2", "h100"]), "--hbm-gib", rng.choice([60, 2000]), "--devices", 16,
             "--seq-length", rng.choice([2048, 8192]), "--micro-batch-size", rng.choice([1, 2]), "--global-batch-size", 64,
             "--mode", rng.choice(["pretrain", "sft", "lora", "dpo"]) if engine != "fsdp2" else rng.choice(["pretrain", "sft"]),
             "--sizes", ",".join(f"{name}={size}" for name, size in model.items())]
    if engine != "fsdp2":
        words += ["--tp", rng.choice([1, 2, 4]), "--pp", rng.choice([1, 2, 4])]
        if "mtp" in model and engine == "megatron":
            words += ["--pipeline-model-parallel-layout", modules_apart(rng, model["layers"], words[-1])]
        elif rng.random() < 0.2:
            words += ["--num-layers-per-virtual-pipeline-stage", 1]
    if "experts" in model:
        words += ["--ep", rng.choice([1, 4])] + ([] if engine == "fsdp2" else ["--etp", 1])
    if rng.random() < 0.2:
        words += ["--cp", 2]
    if rng.random() < 0.2:
        words += ["--tower", "hidden=512,layers=4,heads=8,ffn=2048,patches=1024,merge=4,trained=" + str(rng.randrange(2)) +
                  (",stages=1" if engine != "fsdp2" and rng.random() < 0.5 else "")]
    known = [choice["word"] for choice in CHOICES if engine in choice["flags"]]
    return list(map(str, words)), rng.sample(known, rng.choice([0, 0, 1, 2]))


def plan(words, choices, *more):
    command = [str(tool("ckpt_convert")), "plan", "--json", *words, *(["--with", ",".join(choices)] if choices else []), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    return (json.loads(done.stdout) if done.returncode in (0, 1) else None), done, " ".join(command)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def check_explained(checks, whole, what):
    explained = whole["explained"]
    stage = whole["plans"][0]["stages"][explained["stage"]]
    parts = [explained[name] for name in ("layer_inputs_gib", "step_inputs_gib", "towers_gib", "mtp_gib", "calibrated_gib")]
    for kind in explained["kinds"]:
        kept = sum(tensor["bytes_per_token"] for tensor in kind["tensors"] if not tensor["freed"])
        checks.expect(near(kept, kind["kept_bytes_per_token"]), f"{what}: tensors of kind {kind['kind']}: {kept}")
        bytes_ = explained["tokens"] * (kind["whole"] * kept + kind["without_mlp"] * (kept - kind["mlp_bytes_per_token"]))
        checks.expect(near(bytes_ / GIB, kind["activations_gib"]), f"{what}: kind {kind['kind']}: {bytes_ / GIB}")
        parts.append(kind["activations_gib"])
    checks.expect(near(sum(parts), stage["activations_gib"]), f"{what}: {sum(parts)} GiB explained of {stage['activations_gib']}")
    checks.expect(near(sum(stage[f"{line}_gib"] for line in LINES), stage["peak_gib"]), f"{what}: lines of the stage")
    first = whole["plans"][0]
    budget = first["budget"]
    usable = budget["device_gib"] - sum(size for name, size in budget.items() if name != "device_gib")
    checks.expect(near(usable, first["usable_gib"]), f"{what}: the budget")
    checks.equal(first["fits"], max(one["peak_gib"] for one in first["stages"]) <= first["usable_gib"], f"{what}: whether it fits")
    working = max(explained[f"{first['stages'][explained['stage']]['working_is']}_work_gib"], 0)
    checks.expect(stage["working_is"] == "optimizer" or near(working, stage["working_gib"]), f"{what}: what works")
    checks.expect(near(explained["peak_gib"], stage["peak_gib"]), f"{what}: peak")


def check_command(checks, whole, words, what):
    """The conversion that is printed is for the engine, with all modules of the plan; of towers on stages of their own there is none."""
    command = whole["plans"][0]["conversion"]
    engine = words[words.index("--engine") + 1]
    if engine == "fsdp2" or any("stages=1" in word for word in words):
        checks.equal(command, "", what)
        return
    checks.equal("--mtp-num-layers 1" in command, any("mtp=1" in word for word in words), f"{what}: {command}")
    checks.equal("--target mcore" in command, engine == "megatron", f"{what}: {command}")


def check_calibrated(checks, rng, words, choices, first, folder):
    """A measured peak near the planned one of some stage: the plan has it then, more measured is more planned, and ideas still hold."""
    stage = rng.randrange(len(first["plans"][0]["stages"]))
    planned = first["plans"][0]["stages"][stage]
    before, sure = 0, 0
    for times in (0.98, 1, 1.03):
        path = Path(folder) / f"run{times}.json"
        path.write_text(json.dumps({"peak_gib": planned["peak_gib"] * times, "stage": stage, "with": ",".join(choices) or "none"}))
        then, done, what = plan(words, choices, "--calibrate", str(path), "--explain", str(stage))
        if then is None:  # what is no state is too little to be so much more, or the optimizer's step is the peak
            refused = done.stderr.strip()
            checks.expect(done.returncode == 2 and refused.count("\n") == 0 and "--calibrate" in refused, f"{what}: {refused}")
            checks.expect(times != 1 or planned["working_is"] == "optimizer", f"{what}: {refused}")
            continue
        sure += 1
        check_explained(checks, then, what)
        peak = then["plans"][0]["stages"][stage]["peak_gib"]
        checks.expect(near(peak, planned["peak_gib"] * times), f"{what}: {peak} of {planned['peak_gib']} x {times}")
        highest = max(one["peak_gib"] for one in then["plans"][0]["stages"])
        checks.expect(highest >= before, f"{what}: {highest} after {before}")
        before = highest
        idea = next(iter(then["what_if"]), None)
        if idea is not None and times > 1:
            again, done, what = plan(words, choices + [idea["with"]], "--calibrate", str(path))
            fullest = then["plans"][0]["fullest_stage"]
            freed, left = (one["plans"][0]["stages"][fullest]["peak_gib"] for one in (then, again))
            checks.expect(near(freed - left, idea["freed_gib"]), f"{what}: {freed} - {left} GiB, and {idea['freed_gib']} was promised")
    return sure


def check_job(seed):
    rng = random.Random(seed)
    checks = Checks()
    words, choices = job(rng)
    stages = int(words[words.index("--pp") + 1]) if "--pp" in words else 1
    first, done, what = plan(words, choices, "--explain", str(rng.randrange(stages)))
    if first is None:
        checks.equal(done.returncode, 2, f"{what}: {done.stderr}")
        return checks, 0, 0
    check_explained(checks, first, what)
    check_command(checks, first, words, what)
    stage = first["plans"][0]["fullest_stage"]
    ideas = rng.sample(first["what_if"], min(1, len(first["what_if"])))
    for idea in ideas:
        then, done, what = plan(words, choices + [idea["with"]])
        if not checks.expect(then is not None, f"{what}: {done.stderr}"):
            continue
        before, after = (one["plans"][0]["stages"][stage]["peak_gib"] for one in (first, then))
        checks.expect(near(before - after, idea["freed_gib"]), f"{what}: {before} - {after} GiB, and {idea['freed_gib']} was promised")
        checks.equal(then["plans"][0]["fits"], idea["fits"], f"{what}: whether it fits")
    if seed % 3 == 0:
        with tempfile.TemporaryDirectory() as folder:
            check_calibrated(checks, rng, words, choices, first, folder)
    return checks, 1, len(ideas)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--count", type=int, default=225)
    given = parser.parse_args()
    checks = Checks()
    planned = ideas = 0
    with ThreadPoolExecutor(2) as workers:
        for one, was_planned, tried in workers.map(check_job, range(given.seed, given.seed + given.count)):
            checks.failures += one.failures
            checks.passed += one.passed
            planned += was_planned
            ideas += tried
    print(f"{planned} plans explained, {ideas} ideas tried")
    checks.expect(planned >= given.count * 3 // 4, f"only {planned} of {given.count} plans are legal")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
