"""Programs in which devices come to torch in many ways: on the emulated NPU the style npu runs at least what the style auto and the two lines of
transfer_to_npu run, and where one of these would be safer the report says so.

    hard_suite.py [PROGRAM...]

Another program is a file in hard/. All of them run on CUDA devices as they are.
"""

import json
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import Checks, run_ok, shorten, temporary_directory, tool  # noqa: E402

import suite  # noqa: E402
import worlds  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "hard"
TWO_LINES = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
ROADS = ("npu", "auto", "portable", "two lines")
DEVICES = {"EMULATED_NPU_COUNT": "2"}


def projects_of(checks, program, work):
    """The project by each road; that of a migration is missing when it failed."""
    (work / "in").mkdir()
    shutil.copy(program, work / "in/main.py")
    (work / "two lines").mkdir()
    (work / "two lines/main.py").write_text(TWO_LINES + program.read_text())
    out = {"two lines": work / "two lines"}
    for style in ROADS[:3]:
        if run_ok(checks, tool("migrator"), "migrate", work / "in", "-o", work / style, "--style", style, "--no-config"):
            out[style] = work / style
    return out


def main():
    checks = Checks()
    tool("migrator")
    suite.prepare()
    ran = {road: set() for road in ROADS}
    programs = [path for path in sorted(PROGRAMS.glob("*.py")) if not sys.argv[1:] or path.stem in sys.argv[1:]]
    for program in programs:
        with temporary_directory() as directory:
            projects = projects_of(checks, program, Path(directory))
            on_cuda = worlds.run("cuda", Path(directory, "in"), "main.py", variables=DEVICES)
            checks.expect(on_cuda.ok, f"{program.stem}, unedited on CUDA: {shorten(on_cuda.text[-2000:], 800)}")
            outcomes = {road: worlds.run("npu_open", project, "main.py", variables=DEVICES) for road, project in projects.items()}
            ran_here = {road for road, outcome in outcomes.items() if outcome.ok}
            for road in ran_here:
                ran[road].add(program.stem)
            report = json.loads((Path(directory) / "npu_report/report.json").read_text())
            stopped = "npu" not in ran_here
            checks.expect(not stopped or report["summary"]["verdict"] not in ("ready", "nothing_found", "native"),
                          f"{program.stem} is said to be {report['summary']['verdict']}: {shorten(outcomes['npu'].text[-2000:], 800)}")
    for road in ROADS:
        left = sorted({path.stem for path in programs} - ran[road])
        print(f"{road}: {len(ran[road])} of {len(programs)}" + (f", not {', '.join(left)}" if left else ""))
    for road in ("auto", "two lines"):
        checks.expect(len(ran["npu"]) >= len(ran[road]), f"the style npu runs {len(ran['npu'])}, {road} {len(ran[road])}")
    checks.finish()


if __name__ == "__main__":
    main()
