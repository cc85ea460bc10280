"""Migrates the snippets of snippets/ and compares the result with what is expected of each line.

    run_snippets.py [NAME...]

snippets/NAME/in is a small project as people write them, snippets/NAME/expect.json says by file and line what `--style npu` must do:
["E", text] the line becomes this text, blanks around it aside (or one of several, with "||" between); ["F", ""] there is an edit or a
finding on it; ["N", ""] it is not edited; ["U", ""] it is neither edited nor reported. Any other line is left as it is, but for imports
of torch_npu and the choice of a device. Where an E is out of reach, the least is that a person sees it: an open warning or error on the line, counted as to
review, and a verdict that is not "ready".

snippets/known.json names the cases that do not hold yet ("fails") and those with such an E ("reported"), each with the reason. A case
that is not in the list it belongs to fails the test, and so does one that is in it without need: the lists only shrink.
"""

import argparse
import difflib
import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, is_python, run, temporary_directory, tool  # noqa: E402

SNIPPETS = Path(__file__).resolve().parent / "snippets"
# A line of its own, also as one of a notebook's, or behind another import.
IMPORT = re.compile(r'^\s*"?\s*(try:|except ImportError:|pass|import torch_npu)?\s*(# noqa.*)?(\\n)?"?,?\s*$')
CHOICE = re.compile(r"^\s*torch\.npu\.set_device\(.*\)$")
BEHIND = re.compile(r"(; import torch_npu|import torch_npu; )")
SETTLED = ("applied", "available", "at_run_time")


def lines_of(path):
    return re.split("\r\n|\n|\r", path.read_bytes().decode("utf-8", errors="surrogateescape"))


def new_lines(old, new):
    """For each line of `old` what became of it in `new`, or None when it is not there any more; added lines are left out."""
    out = [None] * len(old)
    chooses = any("set_device" in line for line in old)
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        written = new[c:d]
        if tag != "equal" and len(written) > b - a:
            written = [line for line in written if not ("torch_npu" in line and IMPORT.match(line) or not chooses and CHOICE.match(line))]
        for i, line in zip(range(a, b), written):
            out[i] = line
    return out


def findings_by_line(report):
    """{(path, line): findings} for every line that a finding covers, or is about as well."""
    out = {}
    for file in report["files"]:
        for finding in file["findings"]:
            if finding["kind"] == "advice":  # tells nobody that something does not run
                continue
            for line in range(finding["begin"]["line"], max(finding["begin"]["line"], finding["end"]["line"]) + 1):
                out.setdefault((file["path"], line), []).append(finding)
            for place in finding.get("also", []):
                path, line = place.rsplit(":", 1)
                out.setdefault((path, int(line)), []).append(finding)
    return out


def is_open(finding):
    return finding["severity"] != "info" and finding["state"] not in SETTLED


class Case:
    """What is wrong with one snippet, and which lines are only reported."""

    def __init__(self, name):
        self.name = name
        self.expect = json.loads((SNIPPETS / name / "expect.json").read_text())["files"]
        self.problems = []
        self.reported = []

    def migrate(self, migrator, work, source, output):
        done = run(migrator, "migrate", source, "-o", output, "--style", "npu", "-j", "1", "--format", "json",
                   "--report", f"{output}_report", "--no-record", "--no-config", "--quiet", cwd=work)
        if done.returncode != 0:
            self.problems.append(f"ended with {done.returncode}: {done.stderr}")
            return None
        return json.loads((work / f"{output}_report/report.json").read_text())

    def run(self, migrator):
        with temporary_directory() as directory:
            work = Path(directory)
            shutil.copytree(SNIPPETS / self.name / "in", work / "in", symlinks=True)
            report = self.migrate(migrator, work, "in", "out")
            if report is None:
                return self
            findings = findings_by_line(report)
            for path in sorted(path for path in (work / "in").rglob("*") if path.is_file()):
                name = str(path.relative_to(work / "in"))
                self.check_file(name, path, work / "out" / name, findings, report["summary"])
            for name in set(self.expect) - {str(path.relative_to(work / "in")) for path in (work / "in").rglob("*")}:
                self.problems.append(f"{name}: expected, but not in the project")
            again = self.migrate(migrator, work, "out", "again")
            if again is not None and again["summary"]["files_changed"] != 0:
                self.problems.append("a second run changes files")
        return self

    def check_file(self, name, source, result, findings, summary):
        old, new = lines_of(source), lines_of(result)
        if name.endswith(".py") and is_python(source.read_bytes()) and not is_python(result.read_bytes()):
            self.problems.append(f"{name}: no longer Python")
        wanted = self.expect.get(name, {})
        for number, (before, after) in enumerate(zip(old, new_lines(old, new)), 1):
            kind, text = wanted.get(str(number), ["N", ""])
            self.check_line(f"{name}:{number}", kind, text, before, after, findings.get((name, number), []), summary)

    def check_line(self, place, kind, text, before, after, findings, summary):
        shown = "nothing" if after is None else after.strip()
        edited = after is None or BEHIND.sub("", after) != before
        if kind == "E":
            if shown in [one.strip() for one in text.split("||")]:
                return
            if not edited and any(is_open(finding) for finding in findings) and summary["to_review"] > 0 \
                    and summary["verdict"] != "ready":
                return self.reported.append(place)
            said = "wrong" if edited else "only an info" if findings else "silent"
            self.problems.append(f"{place}: {said}: `{shown}` instead of `{text}`")
        elif kind == "F":
            if not edited and not findings:
                self.problems.append(f"{place}: silent: `{shown}`")
        elif edited:
            self.problems.append(f"{place}: edited: `{shown}`")
        elif kind == "U" and findings:
            self.problems.append(f"{place}: {findings[0]['rule']} for `{shown}`")


def compare(checks, cases, what, known, said):
    """`said` of the cases must be those that known.json names, and no others."""
    for name, case in cases.items():
        if name in known:
            checks.expect(said(case), f"{name} is named in known.json under \"{what}\" without need: remove it")
        else:
            checks.expect(not said(case), f"{name}: {what}: {'; '.join(said(case))}")
    for name in sorted(set(known) - set(cases)):
        checks.expect(False, f"{name} is named in known.json under \"{what}\", but is not a case")


def main():
    parser = argparse.ArgumentParser(description="Snippets, line by line.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases to show in full (default: all are compared with known.json)")
    arguments = parser.parse_args()
    migrator = tool("migrator")
    names = arguments.names or sorted(path.parent.name for path in SNIPPETS.glob("*/expect.json"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = {case.name: case for case in pool.map(lambda name: Case(name).run(migrator), names)}
    if arguments.names:
        for name, case in cases.items():
            print("\n".join([name] + [f"  {one}" for one in case.problems] + [f"  reported: {one}" for one in case.reported]))
        sys.exit(1 if any(case.problems for case in cases.values()) else 0)
    known = json.loads((SNIPPETS / "known.json").read_text())
    checks = Checks()
    compare(checks, cases, "fails", known["fails"], lambda case: case.problems)
    compare(checks, cases, "reported", known["reported"], lambda case: [] if case.problems else case.reported)
    failing = sum(bool(case.problems) for case in cases.values())
    reported = sum(bool(case.reported and not case.problems) for case in cases.values())
    print(f"{len(cases)} snippets: {len(cases) - failing - reported} as expected, {reported} with lines that are only reported, "
          f"{failing} that do not hold yet")
    checks.finish()


if __name__ == "__main__":
    main()
