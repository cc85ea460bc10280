"""Runs the cases beside the mapping files, rules/models/cases/NAME.json.

    model_cases.py [--update] [NAME...]

A case has a config.json, the tensors that such a checkpoint holds, and the options of a conversion. The plan of the
conversion must be NAME.plan.txt (--update writes it: read the difference before you commit it), and the weights must
come back unchanged from MindSpeed-LLM's layout, from that of Transformer Engine, and from torch_dist.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import crc_filled, read_safetensors, write_safetensors  # noqa: E402

CASES = ROOT / "rules/models/cases"
LAYOUTS = {"mindspeed": ["--tp", "2", "--pp", "2"], "te": ["--target", "mcore", "--tp", "2"],
           "dist": ["--target", "mcore", "--ckpt-format", "torch_dist"]}
# Of models with experts: each way to store and to deal them out.
EXPERT_LAYOUTS = {"ep": ["--tp", "2", "--pp", "2", "--ep", "2"], "packed": ["--tp", "2", "--ep", "2", "--moe-grouped-gemm"],
                  "whole": ["--tp", "2", "--ep", "4", "--etp", "1", "--moe-grouped-gemm"],
                  "extend": ["--tp", "2", "--ep", "2", "--moe-tp-extend-ep", "--moe-grouped-gemm"],
                  "te_grouped": ["--target", "mcore", "--ep", "2", "--moe-grouped-gemm"]}


def write_checkpoint(case, directory):
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps(case["config"]))
    write_safetensors(directory / "model.safetensors", {name: crc_filled(name, shape) for name, shape in case["hf"].items()})


def check_plan(checks, name, case, source, work, update):
    done = run(tool("ckpt_convert"), "plan-conversion", "--show-plan", "--load-dir", source, "--save-dir", work / "none",
               *case["options"])
    if not checks.expect(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"):
        return
    plan = done.stdout[done.stdout.index("\niter_") + 1:]
    golden = CASES / f"{name}.plan.txt"
    if update:
        golden.write_text(plan)
    checks.equal(plan, golden.read_text() if golden.exists() else "", f"{name}: the plan is not {golden.name}")


def check_round_trips(checks, name, source, work):
    expected = read_safetensors(source / "model.safetensors")
    layouts = {**LAYOUTS, **EXPERT_LAYOUTS} if any(".experts." in name for name in expected) else LAYOUTS
    for layout, options in layouts.items():
        middle, back = work / f"{name}_{layout}", work / f"{name}_{layout}_hf"
        there = run(tool("ckpt_convert"), "-q", "--load-dir", source, "--save-dir", middle, *options)
        again = run(tool("ckpt_convert"), "-q", "--load-dir", middle, "--save-dir", back)
        if checks.expect(there.returncode == 0 and again.returncode == 0,
                         f"{name}, {layout}: {there.stderr}{again.stderr}"):
            found = read_safetensors(back / "model.safetensors")
            kept = {key: value for key, value in expected.items() if not key.endswith("inv_freq")}
            checks.equal(sorted(found), sorted(kept), f"{name}, {layout}: tensors that came back")
            checks.expect(found == kept, f"{name}, {layout}: the values changed")


def main():
    update = "--update" in sys.argv
    wanted = [argument for argument in sys.argv[1:] if argument != "--update"]
    checks = Checks()
    with temporary_directory() as directory:
        for path in sorted(CASES.glob("*.json")):
            name = path.stem
            if wanted and name not in wanted:
                continue
            case = json.loads(path.read_text())
            source = Path(directory) / name
            write_checkpoint(case, source)
            check_plan(checks, name, case, source, Path(directory), update)
            check_round_trips(checks, name, source, Path(directory))
    families = {line.split()[0] for line in run(tool("ckpt_convert"), "models", "list").stdout.splitlines()
                if not line.startswith(" ")}
    covered = {path.stem for path in CASES.glob("*.json")}
    checks.equal(sorted(family for family in families if family not in covered), [], "families without a case")
    checks.finish()


if __name__ == "__main__":
    main()
