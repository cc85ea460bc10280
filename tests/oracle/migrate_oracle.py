"""Migrates the sample project and checks the result with CPython's parser, git and a diff reader of its own."""

import ast
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402
import unified_diff  # noqa: E402

from cuda_leftovers import find, python_of_notebook  # noqa: E402

SAMPLE = ROOT / "samples/gpt_train"

# What may still speak of CUDA after the migration: in how many places of a file, and the reason. Fewer places fail as well.
ALLOWED = {
    ("gpt/attention.py", "q.is_cuda"): (1, "guards a call of flash_attn, which runs on CUDA alone; the NPU takes the other branch"),
    ("gpt/checkpoint.py", "'cuda:0'"): (1, "a key of map_location: what a GPU has saved goes by it, and an entry for the NPU stands beside it"),
    ("gpt/utils.py", "th.backends.cuda"): (1, "a switch that every build of torch has; without effect on the NPU"),
    ("ops/fused_bias_gelu.py", "x.is_cuda"): (1, "guards the kernel of the CUDA extension; the NPU takes the operators of torch below it"),
    ("tools/bench_allreduce.py", "args.cuda"): (2, "the program's own option --cuda"),
    ("train.py", "'cuda'"): (1, "guards a monitor that asks NVIDIA's library; there is none on the NPU"),
    ("train.py", "memory.cuda"): (1, "a method of the project's own class MemoryReport"),
}


def files_below(directory):
    return {str(path.relative_to(directory)): path for path in sorted(directory.rglob("*")) if path.is_file() or path.is_symlink()}


def python_source(path):
    text = path.read_bytes()
    return python_of_notebook(text) if path.suffix == ".ipynb" else text


def check_python(checks, output, report):
    """Every Python file and notebook parses and asks for no CUDA device; what a notebook keeps is reported."""
    left = Counter()
    findings = {file["path"]: file["findings"] for file in report["files"]}
    for name, path in files_below(output).items():
        if path.suffix not in (".py", ".ipynb"):
            continue
        try:
            ast.parse(python_source(path), filename=name)
        except SyntaxError as problem:
            checks.expect(False, f"{name}:{problem.lineno}: no longer Python: {problem.msg}")
            continue
        for line, what in find(python_source(path)):
            if path.suffix == ".ipynb":
                # Not rewritten: a person has to do it, and the report says where.
                word = what.strip("'").split(".")[0]
                checks.expect(any(word in finding["subject"] or word in finding["old_text"] for finding in findings.get(name, [])),
                              f"{name}:{line}: still {what}, and no finding says so")
                continue
            checks.expect((name, what) in ALLOWED, f"{name}:{line}: still {what}")
            left[name, what] += 1
    for at, (places, _) in ALLOWED.items():
        checks.equal(left[at], places, f"{at}: places that are allowed")


def check_diff(checks, project, output, diff):
    """The diff explains every difference between input and output, byte by byte."""
    try:
        hunks = unified_diff.parse(diff)
    except ValueError as problem:
        checks.expect(False, str(problem))
        return {}
    before, after = files_below(project), files_below(output)
    checks.equal(sorted(after), sorted(before), "files of the migrated project")
    for name in sorted(set(before) & set(after)):
        original, result = before[name].read_bytes(), after[name].read_bytes()
        checks.equal(after[name].stat().st_mode, before[name].stat().st_mode, f"{name}: mode")
        if name not in hunks:
            checks.expect(original == result, f"{name}: changed, and the diff does not say so")
            continue
        checks.expect(original != result, f"{name}: in the diff, and not changed")
        try:
            checks.expect(unified_diff.apply(original, hunks[name]) == result, f"{name}: the diff applied gives another text")
        except ValueError as problem:
            checks.expect(False, f"{name}: {problem}")
    return hunks


def check_git_apply(checks, project, output, diff_file, work):
    """git takes the diff and gives the same files."""
    clone = work / "clone"
    shutil.copytree(project, clone)
    git = ["git", "-C", clone, "-c", "core.autocrlf=false"]
    run_ok(checks, "git", "init", "--quiet", clone)
    if run_ok(checks, *git, "apply", "--check", "--whitespace=nowarn", diff_file):
        run_ok(checks, *git, "apply", "--whitespace=nowarn", diff_file)
        for name, path in files_below(output).items():
            checks.expect((clone / name).read_bytes() == path.read_bytes(), f"{name}: git apply gives another text")


def check_report(checks, report, project, hunks):
    """report.json agrees with itself, with the sources and with the diff."""
    summary = report["summary"]
    findings = [finding for file in report["files"] for finding in file["findings"]]
    states = [finding["state"] for finding in findings]
    checks.equal(summary["findings"], len(findings), "report: findings")
    checks.equal(summary["applied"], states.count("applied"), "report: applied")
    checks.equal(summary["files_changed"], len(hunks), "report: files_changed")
    checks.equal(sorted(file["path"] for file in report["files"] if file["changed"]), sorted(hunks), "report: changed files")
    for key, column in (("by_state", "state"), ("by_severity", "severity")):
        for word, count in summary[key].items():
            checks.equal(count, sum(finding[column] == word for finding in findings), f"report: {key}.{word}")
    checks.equal(len({finding["id"] for finding in findings}), len(findings), "report: ids of findings are unique")
    for file in report["files"]:
        lines = (project / file["path"]).read_text(encoding="utf-8").splitlines()
        touched = unified_diff.changed_lines(hunks.get(file["path"], []))
        for finding in file["findings"]:
            what = f"report: {file['path']}:{finding['begin']['line']} {finding['rule']}"
            checks.expect(1 <= finding["begin"]["line"] <= finding["end"]["line"] <= len(lines) + 1, f"{what}: position")
            checks.expect(finding["message"] and finding["subject"], f"{what}: message and subject")
            if finding["state"] == "applied":
                checks.expect(touched, f"{what}: applied, and the diff has nothing for this file")


def main():
    checks = Checks()
    migrator = tool("migrator")
    with temporary_directory() as directory:
        work = Path(directory)
        project = work / "gpt_train"
        shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("__pycache__", "runs"))
        untouched = {name: path.read_bytes() for name, path in files_below(project).items()}
        if not run_ok(checks, migrator, "migrate", project, "-o", work / "npu", "--report", work / "report"):
            checks.finish()
        checks.equal({name: path.read_bytes() for name, path in files_below(project).items()}, untouched, "the input project")

        diff_file = next((work / "report").glob("*.diff"))
        report = json.loads((work / "report/report.json").read_text())
        check_python(checks, work / "npu", report)
        hunks = check_diff(checks, project, work / "npu", diff_file.read_bytes())
        check_git_apply(checks, project, work / "npu", diff_file, work)
        check_report(checks, report, project, hunks)
        checks.expect(report["summary"]["applied"] > 20, "the sample has more to change than that")

        # A migrated project is left alone.
        run_ok(checks, migrator, "migrate", work / "npu", "-o", work / "again", "--report", work / "report_again")
        second = json.loads((work / "report_again/report.json").read_text())
        checks.equal(second["summary"]["applied"], 0, "applied in the second migration")
        checks.equal(second["summary"]["files_changed"], 0, "files changed in the second migration")
        for name, path in files_below(work / "npu").items():
            checks.expect((work / "again" / name).read_bytes() == path.read_bytes(), f"{name}: changed by the second migration")
    checks.finish()


if __name__ == "__main__":
    main()
