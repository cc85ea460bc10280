"""Options, keys, tasks, handlers and variables that `ckpt_convert launch` writes or `launch --check` reads are names of the engines' releases.

tests/golden/engine_names.json has these names by release, with where a reader finds them; cmake/engine_names.py makes it from the sources. What
launch writes must be in the release that it writes for, what --check knows in some release. A name with a letter less is in none: each
kind is tried with one.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run_ok, temporary_directory, tool  # noqa: E402
from launch_mistakes import LAYOUTS, MODELS  # noqa: E402
from launch_scripts import NOTED, options_in, started  # noqa: E402

LISTS = json.loads((ROOT / "tests/golden/engine_names.json").read_text())["lists"]
LAUNCH = ROOT / "rules/launch"
LLM, SPEED, MEGATRON = "Ascend/MindSpeed-LLM", "Ascend/MindSpeed", "NVIDIA/Megatron-LM"
# By target the releases of which its training programs are made. fsdp2 is younger than the release: its branch is read.
MADE_OF = {"mindspeed-llm": {LLM: "26.1.0", SPEED: "26.1.0_core_r0.12.1", MEGATRON: "core_v0.12.1"}, "megatron": {MEGATRON: "core_v0.17.1"},
           "fsdp2": {LLM: "master"}}
TRAINING = "pretrain_gpt.py"
# No document says where the questions of this one lie: every file of the folder is asked, so that those of the test are alone in it.
NOT_SAID = ("gsm8k/test",)
# Read by PyTorch's own launcher and by Slurm, not by the engines.
OF_LAUNCHERS = re.compile(r"--(nproc|nnodes|node|master|ntasks)")

# Options whose values are names as well: of which kind, known by which program.
VALUES = {"--handler-name": ("handler", "preprocess_data.py"), "--prompt-type": ("prompt", "preprocess_data.py"), "--task": ("task", "evaluation.py")}


def names(kind, of, engine=None, release=None):
    """Of a release, or of all of them."""
    out = set()
    for row in LISTS:
        if row["kind"] != kind or row["of"] != of or (engine and row["engine"] != engine):
            continue
        known = set()
        for version in row["releases"]:
            known = (known - set(version.get("drops", []))) | set(version.get("adds", []))
            if release in (None, version["version"]):
                out |= known
    return out


def of_target(target, program):
    """The options that a program of a target takes; that of data has training's options of tokenizers."""
    parts = [names("options", program, engine, release) for engine, release in MADE_OF[target].items()]
    shared = set() if program == TRAINING else {name for name in of_target(target, TRAINING) if name.startswith("--tokenizer-")}
    return set().union(*parts, shared)


def variables():
    return set().union(*(names("variables", of) for of in ("scripts", "code", "pages")))


def missing(claims):
    """Of [(what says it, kind, name, names known)] those that are in no list."""
    return [f"{what}: {kind} {name}" for what, kind, name, known in claims if name not in known]


def written(checks, work):
    """What the scripts of a dense model and of one with experts give the programs, and what they export."""
    bin_folder = work / "bin"
    bin_folder.mkdir()
    for program in ("torchrun", "python3"):
        (bin_folder / program).write_text(NOTED.replace("/usr/bin/env python3", sys.executable))
        (bin_folder / program).chmod(0o755)
    for model in ("qwen3", "deepseek3"):
        source = work / model
        source.mkdir()
        (source / "config.json").write_text(json.dumps(MODELS[model]))
        for target in MADE_OF:
            layout = [] if target == "fsdp2" else LAYOUTS[model]
            out = work / f"{model}_{target}"
            if run_ok(checks, tool("ckpt_convert"), "launch", source, out, "--target", target, *(layout or ["--devices", "8"])):
                yield from of_set(checks, model, target, out, work)


def of_set(checks, model, target, out, work):
    what = f"{model}, {target}"
    for match in re.findall(r"^export ([A-Z]\w*)=", (out / "environment.sh").read_text(), re.M):
        yield what, "variable", match, variables()
    for path in out.glob("*.yaml"):
        for key in yaml_keys(path.read_text()):
            yield f"{what}, {path.name}", "key", key, names("keys", "train_fsdp2.py", LLM, MADE_OF[target][LLM])
    for script in sorted(out.glob("*.sh")):
        if script.stem in ("settings", "environment", "model", "slurm") or script.stem.startswith(("convert", "merge")):
            continue
        done, programs = started(script, work, MASTER_ADDR="10.0.0.1")
        checks.expect(done.returncode == 0 and programs, f"{what}: {script.name}: {done.stdout}{done.stderr}")
        for program, words, _ in programs:
            yield from of_command(f"{what}, {script.name}", target, program, options_in(words))


def of_command(what, target, program, given):
    for option, values in given.items():
        if target == "fsdp2":
            yield what, "key", option[2:], names("keys", "train_fsdp2.py", LLM, MADE_OF[target][LLM])
        elif program == "preprocess_data.py":
            yield what, "option", option, of_target(target, program)
        else:
            yield what, "option", option, of_target(target, TRAINING)
        kind, of = VALUES.get(option, ("", ""))
        if kind and (kind != "task" or program == of):
            yield what, kind, values[0], names(f"{kind}s", of)


def yaml_keys(text):
    section = ""
    for line in text.splitlines():
        if found := re.match(r"(\w+):", line):
            section = found.group(1)
        elif found := re.match(r"  (\w+):", line):
            yield f"{section}.{found.group(1)}"


def keys_of(value):
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)


def of_templates():
    """What may be written, for the model and job that has it."""
    for target in ("mindspeed-llm", "megatron"):
        known = of_target(target, TRAINING) | of_target(target, "preprocess_data.py")
        for path in sorted((ROOT / "templates/launch" / target).glob("*.sh")):
            if not path.stem.startswith(("convert", "merge")):
                yield from ((path.name, "option", name, known) for name in re.findall(r"^ +(--[a-z][\w-]*)", path.read_text(), re.M))
    known = names("options", TRAINING) | names("options", "convert_ckpt.py")
    for path in sorted((ROOT / "rules/models").rglob("*.json")):
        if "cases" not in path.parts:
            yield from ((path.name, "option", key, known) for key in keys_of(json.loads(path.read_text())) if str(key).startswith("--"))


def known_to_check():
    """What the rules of --check name."""
    training = names("options", TRAINING)
    for row in json.loads((LAUNCH / "options_mindspeed_llm.json").read_text())["options"]:
        program = row.get("program", TRAINING)
        for name in [row["name"], *row.get("aliases", [])]:
            yield "options_mindspeed_llm.json", "option", name, names("options", program) | (training if program == TRAINING else set())
        if row["name"] == "--handler-name":
            yield from (("--handler-name", "handler", word, names("handlers", "preprocess_data.py")) for word in row["words"])
    megatron = json.loads((LAUNCH / "options_megatron_core.json").read_text())
    for row in megatron["options"]:
        yield "options_megatron_core.json", "option", row["name"], names("options", TRAINING, MEGATRON)
    for row in json.loads((LAUNCH / "fsdp2_yaml_keys.json").read_text())["options"]:
        if row.get("program") == "train_fsdp2.py":
            yield "fsdp2_yaml_keys.json", "key", row["name"], names("keys", "train_fsdp2.py")
    for row in json.loads((LAUNCH / "benchmarks.json").read_text())["benchmarks"]:
        yield "benchmarks.json", "task", row["name"], names("tasks", "evaluation.py")
        if row["folder"] not in NOT_SAID:
            yield "benchmarks.json", "folder", row["folder"], names("folders", "evaluation.py")
    facts = (LAUNCH / "launch.json").read_text()
    for name in sorted(set(re.findall(r'"(--[a-z][\w-]*)"', facts))):
        if not OF_LAUNCHERS.match(name):
            yield "launch.json", "option", name, training
    for families in json.loads(facts)["prompts"].values():
        yield from (("launch.json", "prompt", name, names("prompts", "preprocess_data.py")) for name in families)
    for row in json.loads((ROOT / "rules/env/values.json").read_text())["tables"][0]["rows"]:
        yield "values.json", "variable", row["name"], variables()


def check_releases(checks):
    """Since when and until when the options of Megatron-LM are there."""
    file = json.loads((LAUNCH / "options_megatron_core.json").read_text())
    releases = {release: "HEAD" if "dev" in release else f"core_v{release}" for release in file["releases"]}
    for release, tag in releases.items():
        at = file["releases"].index(release)
        rows = [row for row in file["options"] if file["releases"].index(row.get("since", file["releases"][0])) <= at
                and file["releases"].index(row.get("until", file["releases"][-1])) >= at]
        ours = {row["name"] for row in rows}
        others = {name for row in rows for name in row.get("aliases", [])} | {f"--no-{row['name'][2:]}" for row in rows if row.get("takes") == "switch"}
        theirs = names("options", TRAINING, MEGATRON, tag)
        checks.equal([sorted(ours - theirs), sorted(theirs - ours - others)], [[], []], f"options of Megatron-LM {release}: too many, too few")


def check_mutations(checks, claims):
    """One name of each kind with a letter more is missing, and nothing else is."""
    for kind in sorted({claim[1] for claim in claims}):
        what, _, name, known = next(claim for claim in claims if claim[1] == kind)
        checks.equal(missing([*claims, (what, kind, f"{name}x", known)]), missing(claims) + [f"{what}: {kind} {name}x"], f"a {kind} that is none")


def main():
    checks = Checks()
    with temporary_directory() as work:
        claims = [*written(checks, Path(work)), *of_templates(), *known_to_check()]
    checks.equal(missing(claims), [], "names that no release has")
    checks.equal(sorted({claim[1] for claim in claims}), ["folder", "handler", "key", "option", "prompt", "task", "variable"], "kinds of names")
    check_mutations(checks, claims)
    check_releases(checks)
    print(f"{len(claims)} names, {len(LISTS)} lists")
    checks.finish()


if __name__ == "__main__":
    main()
