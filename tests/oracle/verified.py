"""docs/reference/verified.md: what the oracle tests have run, and with what result.

    verified.py            checks that the page has a line for every row of the suites' tables
    verified.py --update [LOG...]   writes it from the log of the last `ctest -L oracle`, or from several logs, of which later ones win
"""

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "npu"), str(HERE / "megatron"), str(HERE.parents[0] / "support")]
from checks import ROOT, Checks  # noqa: E402
import affinity_results  # noqa: E402
import families  # noqa: E402
import figures  # noqa: E402
import results  # noqa: E402
import table  # noqa: E402

PAGE = ROOT / "docs/reference/verified.md"
LOG = ROOT / "build/release/Testing/Temporary/LastTest.log"
OUTPUT = re.compile(r'^\d+/\d+ Test: (\S+)\n.*?^Output:\n-+\n(.*?)^<end of output>', re.M | re.S)
HEAD = """# What is verified

Written by `tests/oracle/verified.py --update` from the last run of the oracle tests (`ctest -L oracle`). A number here was measured
by running the real consumer; continuous integration runs the same and fails on any other result.

"""
PROGRAMS = """## Migrated programs

Each program ran unchanged with CUDA devices that are really the CPU, and migrated on the machine named: `npu` is an emulated NPU (a
device type of PyTorch on the CPU that refuses what Ascend refuses), `cuda` the CUDA devices of before, `cpu` a machine with neither. All
losses that it prints are compared; the difference is relative to the loss, absolute below 1. While a program ran on the NPU,
nothing of `torch.cuda` was touched. `profiler` and `precision` are migrations with `--instrument`, whose trace or dump must be there
afterwards. It shows that the migrated code is complete and computes the same; it says nothing about
speed, memory or the precision of the real hardware.

"""
AFFINITY = """## Faster forms

What `migrate --affinity` writes, by rule: the functions of the rule's cases ran on the CPU as they were and on the emulated NPU as they
were rewritten, in fp32; outputs and gradients (of optimizers: the parameters after five steps) are compared, relative to their size,
absolute below 1. The emulated operators compute what their documentation says.

"""
CHECKPOINTS = """## Converted checkpoints

Tiny models of transformers, converted, loaded strictly by megatron-core in one process per rank, or converted back and loaded by
transformers: the largest difference of a logit over all checks of the line, in fp32. The same token had the largest logit
everywhere. `-`: not run when this page was written; continuous integration tries an older release at some of the topologies, and
`suite.py --all` at all.

"""


def releases():
    lines = (HERE / "megatron/versions.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def markdown(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def program_rows(outputs):
    """The lines below the table's headings, until one that is no row."""
    lines = iter(outputs.get("oracle.npu", "").splitlines())
    for line in lines:
        if re.split(r"  +", line.strip()) == list(results.HEADINGS):
            break
    names = {program.name for program in table.PROGRAMS}
    for line in lines:
        cells = re.split(r"  +", line.strip())
        if cells[0] not in names:
            return
        yield cells


def affinity_rows(outputs):
    rules = affinity_results.rules_with_fix()
    for line in outputs.get("oracle.npu_affinity", "").splitlines():
        cells = re.split(r"  +", line.strip())
        if cells[0] in rules and len(cells) == len(affinity_results.HEADINGS):
            yield cells


def checkpoint_rows(outputs):
    """A line per family and topology, with the largest difference for each release."""
    most = {}
    for release in releases():
        for line in outputs.get(f"oracle.megatron_{release}", "").splitlines():
            family, topology, numbers = line[:20].strip(), line[21:39].strip(), re.search(r"([\d.e+-]+) +100%$", line[40:])
            if numbers and family in {row.name for row in families.FAMILIES}:
                differences = most.setdefault((family, topology), {})
                differences[release] = max(differences.get(release, 0.0), float(numbers[1]))
    for row in families.FAMILIES:
        if not row.off and row.name not in {family for family, _ in most}:
            most[row.name, "-"] = {}
    for (family, topology), differences in most.items():
        yield [family, topology, *(f"{differences[release]:.1e}" if release in differences else "-" for release in releases())]


def update(logs):
    outputs = dict(output for log in logs for output in OUTPUT.findall(log.read_text()))
    programs, affinity, checkpoints = (list(rows(outputs)) for rows in (program_rows, affinity_rows, checkpoint_rows))
    if not programs or not affinity or not checkpoints:
        sys.exit(f"{', '.join(map(str, logs))}: no complete run of the suites: ctest --test-dir build/release -L oracle")
    what = [[program.name, program.what] for program in table.PROGRAMS]
    PAGE.write_text(HEAD + PROGRAMS + markdown(["program", "what it does"], what) + "\n" + markdown(list(results.HEADINGS), programs)
                    + "\n" + AFFINITY + markdown(list(affinity_results.HEADINGS), affinity)
                    + "\n" + CHECKPOINTS + markdown(["family", "topology", *(f"megatron-core {release}" for release in releases())], checkpoints)
                    + "\n" + figures.section())


def cells_below(text, first_heading):
    """The rows of the table whose first heading it is and that has more than two columns."""
    found = re.search(rf"^\| {first_heading} \|[^\n]*\|[^\n]*\|\n\| --- [^\n]*\n((?:\|[^\n]*\n)*)", re.sub(r"^\| program \| what.*", "", text, flags=re.M), re.M)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in found[1].splitlines()] if found else []


def check():
    checks, text = Checks(), PAGE.read_text()
    wanted = {results.cells(row)[:4] for row in table.rows()}
    programs = cells_below(text, "program")
    checks.equal({tuple(cells[:4]) for cells in programs}, wanted, "rows of the programs")
    for cells in programs:
        checks.equal(cells[-1], "same losses", f"result of {cells[:4]}")
    affinity = {cells[0]: cells[1:] for cells in cells_below(text, "rule")}
    checks.equal({rule: cells[0] for rule, cells in affinity.items()}, affinity_results.rules_with_fix(), "faster forms")
    checks.expect(all(cells[1] != "0" for cells in affinity.values()), "faster forms: one of them was not run")
    for program in table.PROGRAMS:
        checks.expect(f"| {program.name} | {program.what} |" in text, f"{program.name}: what it does is not on the page")
    checkpoints = cells_below(text, "family")
    checks.equal({cells[0] for cells in checkpoints}, {row.name for row in families.FAMILIES if not row.off}, "families")
    for release in releases():
        checks.expect(f"megatron-core {release} |" in text, f"megatron-core {release} is not on the page")
    if checks.failures:
        print("Run `ctest --test-dir build/release -L oracle`, then `tests/oracle/verified.py --update`.")
    checks.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", nargs="*", type=Path, metavar="LOG", help="write the page")
    logs = parser.parse_args().update
    check() if logs is None else update(logs or [LOG])


if __name__ == "__main__":
    main()
