"""The cases of tests/golden/npu_ready that can be run: nothing that runs on an NPU as it is breaks there, and nothing that knows the NPU loses CUDA.

    ready_suite.py [CASE...]

`run` of a case is what has to end with 0 on an emulated NPU on which torch_npu loads itself, and torch.cuda answers as it does without CUDA: of a project that
supports the NPU before and after `migrate`, of others after it. A project that supports the NPU, in whole or in part, and runs on CUDA devices, runs there after
it in every style.
"""

import json
import shlex
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks, run_ok, shorten, temporary_directory, tool  # noqa: E402

import suite  # noqa: E402
import worlds  # noqa: E402

CASES = ROOT / "tests/golden/npu_ready/cases"
WRONG = json.loads((ROOT / "tests/golden/npu_ready/wrong.json").read_text())["edits"]
STYLES = ("npu", "portable", "auto")


def outcome_of(case, project, world):
    """Whether the program of a case ends with 0 and prints what it must, and what it printed."""
    words = shlex.split(case["run"])
    variables = {}
    while "=" in words[0]:
        name, _, variables[name] = words[0].partition("=")
        del words[0]
    outcome = worlds.run(world, project, words[0], words[1:], variables=variables)
    told = world != "npu_open" or case.get("must_print", "") in outcome.text
    return outcome.ok and told, shorten(outcome.text[-3000:], 1200)


def migrated(checks, work, style):
    out = work / f"out_{style}"
    return out if run_ok(checks, tool("migrator"), "migrate", work / "in", "-o", out, "--style", style, "--no-config") else None


def check_case(checks, folder, work):
    case = json.loads((folder / "expect.json").read_text())
    if "run" not in case:
        return None
    shutil.copytree(folder / "in", work / "in", symlinks=True)
    name = folder.name
    if case["state"] == "B":
        checks.expect(*told(name, "unedited on the NPU", outcome_of(case, work / "in", "npu_open")))
    npu = migrated(checks, work, "npu")
    ran, text = outcome_of(case, npu, "npu_open") if npu else (False, "not migrated")
    if name not in WRONG:
        checks.expect(*told(name, "migrated, on the NPU", (ran, text)))
    if case["state"] in "BC" and outcome_of(case, work / "in", "cuda")[0]:
        for style in STYLES:
            project = npu if style == "npu" else migrated(checks, work, style)
            checks.expect(*told(name, f"migrated in the style {style}, on CUDA", outcome_of(case, project, "cuda")))
    return ran


def told(name, what, result):
    ran, text = result
    return ran, f"{name}, {what}: {text}"


def main():
    checks = Checks()
    tool("migrator")
    suite.prepare()
    ran = {}
    for folder in sorted(CASES.iterdir()):
        if sys.argv[1:] and folder.name not in sys.argv[1:]:
            continue
        with temporary_directory() as work:
            result = check_case(checks, folder, Path(work))
        if result is not None:
            ran[folder.name] = result
    left = [name for name, result in ran.items() if not result]
    print(f"{len(ran) - len(left)} of {len(ran)} migrated programs run on the NPU" + (f"; not {', '.join(left)}" if left else ""))
    checks.finish()


if __name__ == "__main__":
    main()
