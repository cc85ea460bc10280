"""What `ckpt_convert launch` writes, for the model of every case beside the mapping files: rules/models/cases/NAME.json.

    launch_scripts.py [--all] [NAME...]      without --all or names: every tenth case, and those of which all scripts are run

A shell runs the scripts, with programs in the place of torchrun and python3 that note what they are given. Every option must be in the
list of the program's options; what the converter writes beside the checkpoint that the set's own script makes must be what training
is told; the scripts of that checkpoint must be those of the model; and `launch --check` must find nothing in any of them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from model_cases import write_checkpoint  # noqa: E402
from patience import patience  # noqa: E402

CASES = ROOT / "rules/models/cases"
LAYOUTS = (["--tp", "2", "--pp", "2"], ["--tp", "2"], ["--pp", "2"], [])
DIALECTS = {"mindspeed-llm": "mindspeed", "megatron": "mcore@0.17"}
# All scripts of these are run; of the others those that train.
WHOLE = ("qwen3", "qwen3_moe", "deepseek3")
NOTED = "#!/usr/bin/env python3\nimport json, os, sys\nopen(os.environ['NOTES'], 'a').write(json.dumps(sys.argv) + '\\n')\n"
# What a script says of the run and not of the checkpoint.
OF_RUN = ("--load", "--no-load-optim", "--no-load-rng", "--finetune")


def rows_of(target, program):
    name, release = {"mindspeed-llm": ("options_mindspeed_llm", ""), "megatron": ("options_megatron_core", "0.17.1")}[target]
    file = json.loads((ROOT / f"rules/launch/{name}.json").read_text())
    releases = file.get("releases", [])

    def has(row):
        since, until = row.get("since"), row.get("until")
        return not release or ((not since or releases.index(since) <= releases.index(release))
                               and (not until or releases.index(until) >= releases.index(release)))

    rows = [row for row in file["options"] if has(row)]
    own = [row for row in rows if row.get("program") == program]
    return own or [row for row in rows if "program" not in row]


def known_options(target, program):
    return {row["name"] for row in rows_of(target, program)}


def options_in(words):
    """By name the values that follow it."""
    out, name = {}, None
    for word in words:
        if word.startswith("--"):
            name = word
            out[name] = []
        elif name:
            out[name].append(word)
    return out


def started(script, work, cwd=None, **given):
    """What the programs that a script starts are given: [[program, words, words of the launcher]]."""
    notes = work / f"notes_{script.parent.name}_{script.stem}"
    notes.unlink(missing_ok=True)
    programs = Path(tool("ckpt_convert")).parent
    environment = {**os.environ, "NOTES": str(notes), "ASCEND_HOME_PATH": "/none", "MINDSPEED_LLM": str(work), "MEGATRON_LM": str(work), "TASK_DATA": str(work),
                   "PATH": f"{work / 'bin'}:{programs}:{os.environ['PATH']}"}
    # A checkpoint for those that load one.
    stored = work / "stored"
    stored.mkdir(exist_ok=True)
    (stored / "latest_checkpointed_iteration.txt").write_text("1\n")
    if not script.name.startswith("convert"):
        environment["MCORE_DIR"] = str(stored)
    done = subprocess.run(["bash", script], capture_output=True, text=True, env={**environment, **given}, timeout=patience(300), cwd=cwd)
    lines = notes.read_text().splitlines() if notes.exists() else []
    out = []
    for words in map(json.loads, lines):
        at = max((i for i, word in enumerate(words) if word.endswith(".py")), default=None)
        out.append((Path(words[at]).name, words[at + 1:], words[:at]) if at is not None else (words[0], words[1:], []))
    return done, out


def flags_in(text):
    """The options of CHECKPOINT_ARGS or MODEL_ARGS, as the shell reads them."""
    array = re.search(r"^\w+_ARGS=\((.*?)^\)", text, re.M | re.S).group(1)
    printed = subprocess.run(["bash", "-c", f"CHECKPOINT_DIR=C HF_DIR=H; A=({array}); printf '%s\\0' \"${{A[@]}}\""], capture_output=True, text=True)
    return options_in(printed.stdout.split("\0")[:-1])


def launch(*words):
    return run(tool("ckpt_convert"), "launch", *words)


def check_script(checks, what, script, target, work):
    done, programs = started(script, work)
    checks.expect(done.returncode == 0, f"{what}: {script.name}: {done.stdout}{done.stderr}")
    for program, words, _ in programs:
        unknown = sorted(set(options_in(words)) - known_options(target, program))
        if target == "megatron" and program == "preprocess_data.py":
            continue  # its options are in no list
        checks.equal(unknown, [], f"{what}: {script.name}: options that {program} does not know")
        takes = {row["name"]: row.get("takes", "") for row in rows_of(target, program)}
        wrong = {name: values for name, values in options_in(words).items()
                 if (takes.get(name) == "" and len(values) != 1) or (takes.get(name) in ("none", "switch") and values)}
        checks.equal(wrong, {}, f"{what}: {script.name}: options with more or fewer values than {program} takes")
    return options_in(programs[0][1]) if programs else {}


def check_elsewhere(checks, what, script, work):
    """Started from another directory as the second of two machines, with blanks and Chinese in the paths; and with nothing to load."""
    folder = work / "训练 one"
    shutil.copytree(script.parent, folder / "set")
    stored = folder / "权重 of it"
    stored.mkdir()
    (stored / "latest_checkpointed_iteration.txt").write_text("1\n")
    (stored / "config.json").write_text("{}")
    two = {"NNODES": "2", "NODE_RANK": "1", "MCORE_DIR": str(stored), "HF_DIR": str(stored), "SAVE_DIR": str(folder / "输出 a"), "RESUME": "0"}
    done, programs = started(folder / "set" / script.name, work, cwd="/", MASTER_ADDR="10.0.0.1", **two)
    if checks.expect(done.returncode == 0 and programs, f"{what}: elsewhere: {done.stdout}{done.stderr}"):
        program, words, launcher = programs[0]
        given, options = options_in(launcher), options_in(words)
        checks.equal([given.get(f"--{name}") for name in ("nnodes", "node_rank", "master_addr")], [["2"], ["1"], ["10.0.0.1"]], f"{what}: machines")
        loaded = options.get("--load") or options.get("--model.model_name_or_path")
        saved = options.get("--save") or options.get("--training.output_dir")
        checks.equal([loaded, saved], [[str(stored)], [str(folder / "输出 a")]], f"{what}: paths with blanks, {program}")
    done, programs = started(folder / "set" / script.name, work, **two)
    checks.expect(done.returncode != 0 and "MASTER_ADDR" in done.stderr and not programs, f"{what}: two machines without an address: {done.stderr}")
    for file in stored.iterdir():
        file.unlink()
    done, programs = started(folder / "set" / script.name, work, MASTER_ADDR="10.0.0.1", **two)
    is_one_sentence = done.stderr.startswith("There is no ") and done.stderr.count("\n") == 1 and str(stored) in done.stderr
    checks.expect(done.returncode == 1 and is_one_sentence and not programs, f"{what}: nothing to load: {done.returncode} {done.stderr}")
    done, programs = started(folder / "set" / script.name, work, MASTER_ADDR="10.0.0.1", **{**two, "HF_DIR": str(work), "RESUME": "1"})
    wanted = str(folder / "输出 a") if "model.sh" in script.read_text() else str(work)
    checks.expect(done.returncode == 1 and wanted in done.stderr, f"{what}: nothing to go on from: {done.stderr}")


def check_evaluation(checks, what, script, work):
    """Each benchmark has answers of its own length, and a tuned model the prompts of its training."""
    benchmarks = json.loads((ROOT / "rules/launch/benchmarks.json").read_text())["benchmarks"]
    for benchmark in benchmarks:
        for tuned in ("0", "1"):
            done, programs = started(script, work, TASK=benchmark["name"], TUNED=tuned)
            if not checks.expect(done.returncode == 0 and programs, f"{what}: {benchmark['name']}: {done.stderr}"):
                continue
            options = options_in(programs[0][1])
            asks_as_trained = tuned == "1" and ("examples" in benchmark or "tuned_prompt" in benchmark)
            checks.equal([options["--task"], options["--max-new-tokens"], "--prompt-type" in options, "--no-chat-template" in options],
                         [[benchmark["name"]], [str(benchmark["tokens"])], asks_as_trained, tuned == "0"], f"{what}: {benchmark['name']}, TUNED={tuned}")
    done, programs = started(script, work, TASK="humaneval")
    checks.expect(done.returncode == 2 and "human_eval" in done.stderr and not programs, f"{what}: a task that is none: {done.stderr}")
    done, programs = started(script, work, TASK_DATA=str(work / "nowhere"))
    checks.expect(done.returncode == 2 and "nowhere" in done.stderr and not programs, f"{what}: no questions: {done.stderr}")


def check_nothing_found(checks, what, script, *words):
    done = launch("--check", script, *words, "--device", "a2", "--json")
    found = json.loads(done.stdout)["findings"] if done.returncode in (0, 1) else [done.stderr]
    checks.equal(found, [], f"{what}: --check {script.name}")


def check_conversion(checks, what, out, given, model, layout, work):
    """The converter, the script and the checkpoint's own scripts agree."""
    done, _ = started(out / "convert_to_mcore.sh", work)
    if not checks.expect(done.returncode == 0, f"{what}: convert_to_mcore.sh: {done.stdout}{done.stderr}"):
        return
    known = known_options("mindspeed-llm", "pretrain_gpt.py")
    written = {name: values for name, values in flags_in((out / "mcore/training_args.sh").read_text()).items()
               if name not in OF_RUN and name in known}
    same = {name: given.get(name) for name in written}
    checks.equal(same, written, f"{what}: what training is told, and what the converter wrote")
    again = launch(out / "mcore", work / "again", "--devices", "8")
    if checks.expect(again.returncode == 0, f"{what}: scripts of the checkpoint: {again.stderr}"):
        checks.equal(flags_in((work / "again/model.sh").read_text()), flags_in((out / "model.sh").read_text()), f"{what}: scripts of the checkpoint")
        check_nothing_found(checks, what, work / "again/pretrain.sh", "--checkpoint", out / "mcore")
    stages = {path.name for path in next((out / "mcore").glob("iter_*")).iterdir()}
    sizes = {"--tp": 1, "--pp": 1, **{layout[i]: int(layout[i + 1]) for i in range(0, len(layout), 2)}}
    checks.equal(len(stages), sizes["--tp"] * sizes["--pp"], f"{what}: rank files")


def check_target(checks, name, case, target, model, work):
    work.mkdir()
    (work / "bin").mkdir()
    for program in ("torchrun", "python3"):
        (work / "bin" / program).write_text(NOTED.replace("/usr/bin/env python3", sys.executable))
        (work / "bin" / program).chmod(0o755)
    out, refusals = work / "out", []
    for layout in LAYOUTS:
        done = launch(model, out, "--target", target, "--devices", "8", *layout)
        if done.returncode == 0:
            break
        refusals.append(done.stderr)
    what = f"{name}, {target} {' '.join(layout)}"
    if done.returncode != 0 and target in DIALECTS:
        # What the converter refuses as well has no scripts; nor what the program of the release has no value for.
        convert = run(tool("ckpt_convert"), "plan", model, work / "none", "--to", "mcore", "--target", DIALECTS[target])
        return checks.expect(convert.returncode != 0 or "does not know" in done.stderr, f"{what}: {refusals}")
    if not checks.expect(done.returncode == 0, f"{what}: {refusals}"):
        return
    whole = name in WHOLE
    given = {}
    for script in sorted(out.glob("*.sh")):
        is_one = script.name == "pretrain.sh" or (whole and script.name not in ("settings.sh", "environment.sh", "model.sh", "slurm.sh")
                                                  and not script.name.startswith(("convert", "merge")))
        if not is_one:
            continue
        options = check_script(checks, what, script, target, work) if target != "fsdp2" else {}
        given = options if script.name == "pretrain.sh" else given
        if script.name.startswith("data"):
            done, programs = started(script, work, NNODES="2")
            checks.expect(done.returncode == 0 and programs, f"{what}: {script.name} on one of two machines: {done.stderr}")
        if not (target == "megatron" and script.name.startswith("data")):
            check_nothing_found(checks, what, script, "--model", model)
    if target == "mindspeed-llm" and not case.get("take"):
        check_conversion(checks, what, out, given, model, layout, work)
    if whole and target == "mindspeed-llm":
        check_evaluation(checks, what, out / "evaluate.sh", work)
    if whole:
        check_elsewhere(checks, what, out / "pretrain.sh", work)
    if whole and shutil.which("shellcheck"):
        done = subprocess.run(["shellcheck", *out.glob("*.sh")], capture_output=True, text=True)
        checks.expect(done.returncode == 0, f"{what}: shellcheck: {done.stdout}")


def targets_of(case):
    mappings = [json.loads(path.read_text()) for path in (ROOT / "rules/models").glob("*.json")]
    kinds = set(re.findall(r'"model_type": "([^"]*)"', json.dumps(case["config"])))
    trained_by = {target for mapping in mappings if kinds & set(mapping["model_types"]) for target in mapping.get("trained_by", [])}
    names = {"mindspeed": "mindspeed-llm", "mcore": "megatron"}
    return [names[target] for target in names if not trained_by or target in trained_by] + ["fsdp2"]


def check_case(checks, path, work):
    case = json.loads(path.read_text())
    directory = work / path.stem
    directory.mkdir()
    write_checkpoint(case, directory / "model")
    for target in targets_of(case):
        check_target(checks, path.stem, case, target, directory / "model", directory / target)
    shutil.rmtree(directory)


def main():
    checks = Checks()
    wanted = [name for name in sys.argv[1:] if name != "--all"]
    takes_all = "--all" in sys.argv
    with temporary_directory() as work, ThreadPoolExecutor(2) as pool:
        every = sorted(CASES.glob("*.json"))
        paths = [path for i, path in enumerate(every)
                 if path.stem in wanted or takes_all or (not wanted and (i % 10 == 0 or path.stem in WHOLE))]
        list(pool.map(lambda path: check_case(checks, path, Path(work)), paths))
    checks.finish()


if __name__ == "__main__":
    main()
