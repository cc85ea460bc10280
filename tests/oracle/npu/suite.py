"""Training programs before and after their migration: on the CPU as CUDA devices, then on the emulated NPU; the losses must agree.

    suite.py [PROGRAM...]

Another program is a directory below programs/ and a row in table.py.
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


def largest_difference(found, wanted):
    """Relative to the size of the loss, or absolute below 1."""
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in zip(found, wanted)), default=float("inf"))


def check_run(checks, what, outcome):
    tail = "\n".join(shorten(text[-6000:], 1500) for text, code in zip(outcome.texts, outcome.codes) if code)
    ran = checks.expect(outcome.ok, f"{what}: ended with {outcome.codes}:\n{tail}")
    return checks.equal(outcome.touched, [], f"{what}: torch.cuda") and ran


def migrate(checks, program, style, work):
    """The migrated project, or None; the report has to tell what a person must do."""
    project, output = work / "gpu" / program.name, work / style.name.replace(", ", "_") / program.name
    if not run_ok(checks, tool("migrator"), "migrate", project, "-o", output, "--report", output.with_suffix(".report"), *style.options):
        return None
    report = json.loads((output.with_suffix(".report") / "report.json").read_text())
    found = {finding["rule"] for file in report["files"] for finding in file["findings"]}
    checks.expect(found.issuperset(program.expected_rules), f"{program.name}: reports {sorted(found)}, not {program.expected_rules}")
    if style.config:
        (output / "msprobe_config.json").write_text(style.config)
    return output


def run(checks, what, world, project, program, processes, style=None):
    """The losses that a program prints, or None when it fails. Without a style it is the program before its migration."""
    arguments = program.arguments + (program.on_cpu if world == "cpu" else ())
    variables = dict(style.variables) if style else {}
    outcome = worlds.run(world, project, program.entry, arguments, processes, {"EMULATED_NPU_COUNT": str(program.devices), **variables})
    if not check_run(checks, what, outcome):
        return None
    losses = [float(value) for value in LOSS.findall(outcome.text)]
    enough = checks.expect(len(losses) >= 3, f"{what}: too few losses in its output: {shorten(outcome.text)}")
    return losses if enough else None


def run_row(checks, row, project, wanted):
    what = f"{row.program.name}, {row.style.name}, {row.processes} process(es), on {row.world}"
    found = run(checks, what, row.world, project, row.program, row.processes, row.style)
    if found is None or wanted is None:
        return
    row.losses, row.difference = len(found), largest_difference(found, wanted)
    same_number = checks.equal(len(found), len(wanted), f"{what}: number of losses")
    agree = checks.expect(row.difference <= row.program.tolerance, f"{what}: losses {found} instead of {wanted}")
    left = row.world != "npu" or row.style.leaves is None or any(project.glob(row.style.leaves))
    checks.expect(left, f"{what}: left no {row.style.leaves}")
    row.result = "same losses" if same_number and agree and left else "failed"


def run_program(checks, program, rows, work):
    project = work / "gpu" / program.name
    shutil.copytree(program.directory, project, ignore=shutil.ignore_patterns("__pycache__", "runs"))
    styles = {row.style.name: row.style for row in rows}
    migrated = {name: migrate(checks, program, style, work) for name, style in styles.items()}
    wanted = {}
    for row in rows:
        # The original on the CPU is what a run on the CPU is compared with, the one on CUDA devices any other.
        world = "cpu" if row.world == "cpu" else "cuda"
        if (world, row.processes) not in wanted:
            what = f"{program.name} before its migration, {row.processes} process(es), on {world}"
            wanted[world, row.processes] = run(checks, what, world, project, program, row.processes)
        if migrated[row.style.name] is not None:
            run_row(checks, row, migrated[row.style.name], wanted[world, row.processes])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    checks.finish()


if __name__ == "__main__":
    main()
