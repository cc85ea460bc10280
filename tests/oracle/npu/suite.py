"""Training programs before and after their migration: on the CPU as CUDA devices, then on the emulated NPU; the losses must agree.

    suite.py [--results FILE] [PROGRAM...]
"""

import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import Checks, run_ok, shorten, skip, temporary_directory, tool  # noqa: E402

import results  # noqa: E402
import table  # noqa: E402
import worlds  # noqa: E402

LOSS = re.compile(r"loss[ =:]+(-?\d+\.\d+|nan|inf)")


def prepare():
    """Imports once what every run needs, and compiles the device."""
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        skip("there is no C++ compiler for the device of the emulated NPU")
    import torch.distributed.fsdp  # noqa: F401
    import torch_npu_build

    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    torch_npu_build.library()
    # What torch imports when a program first optimizes something.
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0).zero_grad()


def losses_of(outcome):
    return [float(value) for value in LOSS.findall(outcome.text)]


def largest_difference(found, wanted):
    """Relative to the size of the loss, or absolute below 1."""
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in zip(found, wanted)), default=float("inf"))


def check_run(checks, what, outcome):
    tail = "\n".join(shorten(text[-6000:], 1500) for text, code in zip(outcome.texts, outcome.codes) if code)
    ran = checks.expect(outcome.ok, f"{what}: ended with {outcome.codes}:\n{tail}")
    return checks.equal(outcome.touched, [], f"{what}: torch.cuda") and ran


def migrate(checks, program, style, work):
    """The migrated project, or None; the report has to tell what a person must do."""
    project, output = work / "gpu" / program.name, work / style.name / program.name
    if not run_ok(checks, tool("migrator"), "migrate", project, "-o", output, "--report", work / f"{style.name}.report", *style.options):
        return None
    report = json.loads((work / f"{style.name}.report/report.json").read_text())
    found = {finding["rule"] for file in report["files"] for finding in file["findings"]}
    checks.expect(found.issuperset(program.expected_rules), f"{program.name}: reports {sorted(found)}, not {program.expected_rules}")
    return output


def run_row(checks, row, project, wanted):
    program = row.program
    what = f"{program.name}, {row.style.name}, {row.processes} process(es), on {row.world}"
    outcome = worlds.run(row.world, project, program.entry, program.arguments, row.processes, program.devices)
    if not check_run(checks, what, outcome):
        return
    found = losses_of(outcome)
    row.losses = len(found)
    if row.world == "cpu":
        # Without mixed precision and another order of random numbers: it has to run, not to agree.
        row.result = "runs" if checks.equal(len(found), len(wanted), f"{what}: number of losses") else "failed"
        return
    row.difference = largest_difference(found, wanted)
    same_number = checks.equal(len(found), len(wanted), f"{what}: number of losses")
    agree = checks.expect(row.difference <= program.tolerance, f"{what}: losses {found} instead of {wanted}")
    row.result = "same losses" if same_number and agree else "failed"


def run_program(checks, program, rows, work):
    project = work / "gpu" / program.name
    shutil.copytree(program.directory, project, ignore=shutil.ignore_patterns("__pycache__", "runs"))
    migrated = {}
    for style in {row.style.name: row.style for row in rows}.values():
        migrated[style.name] = migrate(checks, program, style, work)
    wanted = {}
    for processes in sorted({row.processes for row in rows}):
        outcome = worlds.run("cuda", project, program.entry, program.arguments, processes, program.devices)
        check_run(checks, f"{program.name} before its migration, {processes} process(es)", outcome)
        wanted[processes] = losses_of(outcome)
        checks.expect(len(wanted[processes]) >= 3, f"{program.name}: too few losses in its output: {shorten(outcome.text)}")
    for row in rows:
        if migrated[row.style.name] is not None:
            run_row(checks, row, migrated[row.style.name], wanted[row.processes])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, help="where to write the rows as JSON, for verified.py")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these")
    arguments = parser.parse_args()
    checks = Checks()
    tool("migrator")
    prepare()
    rows = [row for row in table.rows() if not arguments.programs or row.program.name in arguments.programs]
    for program in dict.fromkeys(row.program for row in rows):
        with temporary_directory() as work:
            run_program(checks, program, [row for row in rows if row.program is program], Path(work))
    print(results.as_text(rows))
    if arguments.results:
        arguments.results.write_text(results.as_json(rows))
    checks.finish()


if __name__ == "__main__":
    main()
