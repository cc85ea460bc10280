"""Forty steps of somebody who has the programs for the first time: each says what to do next, and leaves behind what it should."""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import ROOT, Checks, temporary_directory, tool  # noqa: E402
from steps import STEPS  # noqa: E402

MAKE_TINY = ROOT / "samples/checkpoints/make_tiny.py"
# Steps that are about to change the project itself.
CHANGES = ("apply review --in-place", "undo gpt_train", "undo review/applied")


def digest(folder):
    """Of all files and names below it."""
    out = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            out.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return out.hexdigest()


def check_step(checks, work, number, step):
    line, code, says, there = step
    program, *words = shlex.split(line)
    before = {path.name for path in work.iterdir()}
    done = subprocess.run([str(tool(program)), *words], cwd=work, capture_output=True, text=True, encoding="utf-8",
                          env=os.environ | {"LC_ALL": "C.UTF-8"})
    said = done.stdout + done.stderr
    what = f"step {number}, `{line}`"
    checks.equal(done.returncode, code, f"{what}: exit code, with {said}")
    for text in says:
        checks.expect(text in said, f"{what}: does not say {text!r}, but {said}")
    checks.expect("{" not in done.stderr and "terminate" not in done.stderr, f"{what}: {done.stderr}")
    if code not in (0, 1):
        checks.equal(done.stdout, "", f"{what}: an error prints no result")
        last = done.stderr.splitlines()[-1:]
        checks.expect(last and last[0].startswith(f"{program}: error: "), f"{what}: an error is the last line, not {done.stderr}")
        checks.equal({path.name for path in work.iterdir()}, before, f"{what}: an error leaves nothing behind")
    for name in there:
        is_there = (work / name.removeprefix("-")).exists()
        checks.equal(is_there, not name.startswith("-"), f"{what}: {name} is there")


def main():
    checks = Checks()
    checks.equal(len(STEPS), 40, "steps")
    with temporary_directory() as name:
        work = Path(name)
        shutil.copytree(ROOT / "samples/gpt_train", work / "gpt_train")
        subprocess.run([sys.executable, "-B", str(MAKE_TINY), "qwen3", "qwen3_hf"], cwd=work, check=True, stdout=subprocess.DEVNULL)
        original = digest(work / "gpt_train")
        for number, step in enumerate(STEPS, 1):
            check_step(checks, work, number, step)
            if not any(words in step[0] for words in CHANGES):
                checks.equal(digest(work / "gpt_train"), original, f"step {number}: the project stays as it was")
    checks.finish()


if __name__ == "__main__":
    main()
