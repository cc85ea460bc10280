"""The scripts of both programs find CANN in each of its usual places, and the documents name no other: rules/start/cann.json.

Each place is the only one that is there, below a root of its own: /usr/local in the scripts, and HOME.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, make_tiny, run_ok, temporary_directory, tool, tracked_files  # noqa: E402

FACTS = json.loads((ROOT / "rules/start/cann.json").read_text())
PLACES, NNAL = FACTS["set_env"], FACTS["nnal"]
NEWEST, BEFORE = PLACES[:2]
TRAINS = ("import torch\n\n\ndef main(net, opt, data):\n    for x in data:\n        net(x).sum().backward()\n        opt.step()\n\n\n"
          "if __name__ == '__main__':\n    main()\n")
NOT_FOUND = "CANN was not found"


def below(text, root):
    return text.replace("/usr/local", f"{root}/usr/local")


def set_env(path, says):
    path.parent.mkdir(parents=True)
    # As CANN's does, it reads a variable that nobody has set.
    path.write_text(f'export ASCEND_HOME_PATH="{says}$LD_LIBRARY_PATH_OF_NOBODY"\n')


def ran(script, root, last, shown, **given):
    """Its lines up to those that load CANN, or NNAL, where `last` is in the last of them; they have two arguments."""
    text = below(script.read_text(), root)
    at = text.index(last)
    copy = script.with_name(f"of_test_{script.name}")
    copy.write_text(text[:text.index("\nfi\n", at) + 4] + f'echo "{shown}"\n')
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASCEND", "CANN", "ATB", "NNAL"))}
    return subprocess.run(["bash", "-eu", "-c", f'HERE="{script.parent}"; [ ! -f "$HERE/settings.sh" ] || source "$HERE/settings.sh"; source "$0"', copy, "one", "two"],
                          capture_output=True, text=True, env={**environment, "HOME": str(root / "home"), **given}, cwd=script.parent)


def found(script, root, last=NOT_FOUND, shown="$ASCEND_HOME_PATH", **given):
    """Where CANN is when the script has loaded it, or what it says instead."""
    done = ran(script, root, last, shown, **given)
    return done.stdout.strip() if done.returncode == 0 else done.stderr


def check_script(checks, script, work):
    name = script.parent.name
    for number, place in enumerate(PLACES):
        root = work / f"{name}_{number}"
        set_env(Path(below(place, root).replace("$HOME", f"{root}/home")), place.replace("$HOME", "home"))
        checks.equal(found(script, root), place.replace("$HOME", "home"), f"{script}: CANN only at {place}")
        checks.expect(NOT_FOUND in found(script, root, CANN_SET_ENV="/none/set_env.sh"), f"{script}: a place that is given and is not there")
        set_env(root / "own/set_env.sh", "own")
        checks.equal(found(script, root, CANN_SET_ENV=str(root / "own/set_env.sh")), "own", f"{script}: a place that is given")
        checks.equal(found(script, root, ASCEND_HOME_PATH="loaded"), "loaded", f"{script}: loaded already")
        if number == 0:
            set_env(Path(below(BEFORE, root)), "before")
            checks.equal(found(script, root), NEWEST, f"{script}: of two the newer")
    none = work / f"{name}_none"
    none.mkdir()
    checks.expect(NOT_FOUND in found(script, none), f"{script}: CANN nowhere")


def check_nnal(checks, script, work):
    """It is loaded behind CANN from the first of its places that is there; without it, and where it fails, the script goes on."""
    nnal = {"last": "load_environment NNAL_SET_ENV", "shown": "${ATB_HOME_PATH:-none}", "ASCEND_HOME_PATH": "loaded"}
    for number, place in enumerate(NNAL):
        root = work / f"{script.parent.name}_nnal_{number}"
        root.mkdir()
        checks.equal(found(script, root, **nnal), "none", f"{script}: NNAL nowhere")
        path = Path(below(place, root).replace("$HOME", f"{root}/home"))
        path.parent.mkdir(parents=True)
        path.write_text(f'export ATB_HOME_PATH="{number}$NOBODY"\n')
        checks.equal(found(script, root, **nnal), str(number), f"{script}: NNAL only at {place}")
        checks.equal(found(script, root, ATB_HOME_PATH="before", **nnal), "before", f"{script}: NNAL is loaded already")
        path.write_text("return 1\n")
        checks.equal(found(script, root, **nnal), "none", f"{script}: NNAL fails")


def check_failures(checks, script, work):
    """A file that fails is named, with what to do, whether or not the script goes on; and none sees the arguments of the script."""
    root = work / f"{script.parent.name}_failing"
    own = root / "own/set_env.sh"
    own.parent.mkdir(parents=True)
    for variable, last, others in (("CANN_SET_ENV", NOT_FOUND, {}), ("NNAL_SET_ENV", "load_environment NNAL_SET_ENV", {"ASCEND_HOME_PATH": "loaded"})):
        for text, status, says in (("exit 3\n", 3, "ended this script"), ("return 1\n", 1 if variable == "CANN_SET_ENV" else 0, "failed"),
                                   ('false\nexport SEEN="$#" ASCEND_HOME_PATH=x\n', 0, None)):
            own.write_text(text)
            done = ran(script, root, last, "seen ${SEEN:-} of $#", **others, **{variable: str(own)})
            what = f"{script}: {variable} {text!r}"
            checks.equal(done.returncode, status, what)
            if says:
                checks.expect(f"{own} {says}. Source it in a shell to see why, or name another: {variable}=" in done.stderr, f"{what}: {done.stderr}")
            else:
                checks.equal((done.stdout.strip(), done.stderr), ("seen 0 of 2", ""), what)


def check_documents(checks):
    lines = 0
    for name in tracked_files():
        if not name.startswith(("docs/", "rules/", "templates/", "README")) or not name.endswith((".md", ".json", ".sh")):
            continue
        for line in (ROOT / name).read_text().splitlines():
            named = set(re.findall(r"[\w$~/.-]*/Ascend/(?!nnal/)[\w/.-]*set_env\.sh", line))
            if not named:
                continue
            lines += 1
            checks.expect(named <= set(PLACES), f"{name}: {named - set(PLACES)} is not in rules/start/cann.json")
            checks.expect(BEFORE not in named or NEWEST in named, f"{name}: {BEFORE} without {NEWEST}, which is its place from CANN 8.5 on")
    checks.expect(lines > 0, "no document names a place of CANN")


def main():
    checks = Checks()
    check_documents(checks)
    with temporary_directory() as directory:
        work = Path(directory)
        (work / "in").mkdir()
        (work / "in/train.py").write_text(TRAINS)
        run_ok(checks, tool("migrator"), "migrate", work / "in", "-o", work / "started", "--start-script")
        make_tiny(checks, "qwen3", work / "hf")
        for target in ("mindspeed-llm", "fsdp2", "megatron"):
            run_ok(checks, tool("ckpt_convert"), "launch", work / "hf", work / target, "--target", target)
        for script in [work / "started/run_npu.sh", *(work / target / "environment.sh" for target in ("mindspeed-llm", "fsdp2", "megatron"))]:
            if checks.expect(script.is_file(), f"{script} was not written"):
                check_script(checks, script, work)
                check_nnal(checks, script, work)
                check_failures(checks, script, work)
        if shutil.which("shellcheck"):
            done = subprocess.run(["shellcheck", work / "started/run_npu.sh"], capture_output=True, text=True)
            checks.expect(done.returncode == 0, f"shellcheck: {done.stdout}")
    checks.finish()


if __name__ == "__main__":
    main()
