"""Judges what `migrator` makes of small projects, each with one thing that is easily done wrong.

    migration_cases.py [--cases DIR] [--list] [NAME...]

A case is right when nothing below is true of it:

* crash: the program fails, or leaves no report;
* wrong edit: a file that CPython accepted is no longer accepted; a program that runs in the world of GPUs does not run in
  the world of NPUs, or prints something else there (tests/support/two_worlds.py); a second migration changes something; a
  line changes that the expected output of the case keeps, or changes into something else;
* silent miss: a line that still asks for CUDA, and no finding says so; a line that the expected output changes, and
  neither an edit nor a finding says so.
"""

import argparse
import difflib
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_python, run, temporary_directory, tool  # noqa: E402

from cuda_leftovers import find  # noqa: E402

CASES = ROOT / "tests/golden/migrator/cases"
WORLDS = ROOT / "tests/support/two_worlds.py"

# What may stay as it is without a finding, because it is the project's own.
OWN = {
    "user_class_method_cuda": {"b.cuda"},
    "user_property_is_cuda": {"Packed().is_cuda"},
    "cfg_CUDA_attribute": {"cfg.CUDA"},
    "call_on_string_formatting": {"'CUDA:0'", "'Cuda'"},  # not how PyTorch spells a device
    "package_names": {"torch.cuda", "cuda.cuda"},
    "argparse_and_dict_keys": {"'cuda'", "args.cuda"},
    "keyword_and_param_names": {"'cuda'", "o.cuda", "self.cuda"},
    "json_yaml_keys_in_code": {"'cuda'"},
    "name_cuda_imported_from_project": {"devs.cuda"},
    "enum_member_CUDA": {"Dev.CUDA"},
    "class_with_own_to_and_cuda_api": {"Table().cuda"},
    "already_multi_backend": {"'cuda'", "'nccl'"},
    "shadowed_torch_param": {"torch.cuda"},
    "numba_and_cupy_cuda": {"cupy.cuda"},
}


def outcome_in(world, program):
    """What the program prints in this world, None when it fails."""
    done = run(sys.executable, "-B", WORLDS, world, program, seconds=60)
    return done.stdout if done.returncode == 0 else None


def lines_of(data):
    return data.decode("utf-8", "replace").splitlines()


def changed_lines(old, new):
    """{number of a line of `old`: what became of it}; insertions belong to the line in front of them."""
    changes = {}
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "insert":
            changes.setdefault(a, []).append(tuple(new[c:d]))
        elif kind != "equal":
            for number in range(a, b):
                changes.setdefault(number + 1, []).append(tuple(new[c:d]))
    return changes


class Case:
    def __init__(self, directory, work):
        self.name, self.source, self.work = directory.name, directory / "in", work
        self.expected = directory / "expected/out"
        self.problems = []
        self.findings = {}

    def say(self, verdict, text):
        self.problems.append((verdict, text))

    def migrate(self, migrator, project, output):
        done = run(migrator, "migrate", project, "-o", output, "--report", f"{output}_report", cwd=self.work, seconds=120)
        report = self.work / f"{output}_report/report.json"
        if done.returncode != 0 or not report.exists():
            self.say("crash", f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            return None
        return json.loads(report.read_text())

    def judge(self, migrator):
        shutil.copytree(self.source, self.work / "in", symlinks=True)
        report = self.migrate(migrator, "in", "out")
        if report is None:
            return
        for file in report["files"]:
            for finding in file["findings"]:
                for line in range(finding["begin"]["line"], finding["end"]["line"] + 1):
                    self.findings.setdefault((file["path"], line), []).append(finding["rule"])
        if self.migrate(migrator, "out", "again") is not None:
            self.check_second_run()
        for path in sorted((self.work / "in").rglob("*")):
            if path.is_file() and not path.is_symlink():
                self.check_file(str(path.relative_to(self.work / "in")))

    def check_second_run(self):
        for path in (self.work / "out").rglob("*"):
            if path.is_file() and (self.work / "again" / path.relative_to(self.work / "out")).read_bytes() != path.read_bytes():
                self.say("wrong edit", f"{path.name}: the second migration changes it")

    def check_file(self, name):
        before = (self.work / "in" / name).read_bytes()
        output = self.work / "out" / name
        if not output.exists():
            if self.expected.exists() and (self.expected / name).exists():
                self.say("wrong edit", f"{name}: not in the output")
            return
        after = output.read_bytes()
        if name.endswith(".py") and is_python(before):
            if not is_python(after):
                self.say("wrong edit", f"{name}: no longer Python")
                return
            self.check_leftovers(name, after)
            self.check_worlds(name, before, after)
        if (self.expected / name).exists():
            self.check_expected(name, lines_of(before), lines_of(after), lines_of((self.expected / name).read_bytes()))

    def is_reported(self, name, line):
        """By a finding on the line, or by one that says that the whole file was not read."""
        return (name, line) in self.findings or "file.not_read" in self.findings.get((name, 1), ())

    def check_leftovers(self, name, after):
        """Every line of the output that still asks for CUDA has a finding at the line of the input it comes from."""
        old = lines_of((self.work / "in" / name).read_bytes())
        came_from = {}
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, lines_of(after), autojunk=False).get_opcodes():
            for number in range(c, d):
                came_from[number + 1] = range(a + 1, b + 1) if kind != "equal" else [a + 1 + number - c]
        for line, what in find(after):
            if what in OWN.get(self.name, ()):
                continue
            if not any(self.is_reported(name, at) for at in came_from.get(line, [])):
                self.say("silent miss", f"{name}:{line}: still {what}")

    def check_worlds(self, name, before, after):
        printed = outcome_in("gpu", self.work / "in" / name)
        if printed is None:
            return
        migrated = outcome_in("npu", self.work / "out" / name)
        if migrated is None:
            if not any(path == name for path, _ in self.findings) or before != after:
                self.say("wrong edit", f"{name}: ran before, and fails now")
        elif re.sub("cuda", "npu", printed) != re.sub("cuda", "npu", migrated):
            self.say("wrong edit", f"{name}: prints {migrated!r} instead of {printed!r}")

    def check_expected(self, name, before, after, expected):
        wanted, found = changed_lines(before, expected), changed_lines(before, after)
        for line in sorted(set(wanted) | set(found)):
            if wanted.get(line) == found.get(line):
                continue
            if line in found:
                self.say("wrong edit", f"{name}:{line}: becomes {found[line]}, not {wanted.get(line, 'left alone')}")
            elif not self.is_reported(name, line):
                self.say("silent miss", f"{name}:{line}: should become {wanted[line]}")
            else:
                self.say("only reported", f"{name}:{line}: should become {wanted[line]}")


def main():
    parser = argparse.ArgumentParser(description="Judges the small migrations.")
    parser.add_argument("--cases", type=Path, default=CASES, help="directory of NAME/in and NAME/expected/out")
    parser.add_argument("--list", action="store_true", help="one line for every case, also the right ones")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    checks, migrator, counts = Checks(), tool("migrator"), {}
    for directory in sorted(path for path in arguments.cases.iterdir() if (path / "in").is_dir()):
        if arguments.names and directory.name not in arguments.names:
            continue
        if (directory / "options.txt").exists():
            continue  # asks for more than a plain migration
        with temporary_directory() as work:
            case = Case(directory, Path(work))
            case.judge(migrator)
        verdicts = sorted({verdict for verdict, _ in case.problems}) or ["right"]
        for verdict in verdicts:
            counts[verdict] = counts.get(verdict, 0) + 1
        if arguments.list:
            print(f"{case.name}: {', '.join(verdicts)}")
        checks.expect(not case.problems, f"{case.name}: " + "; ".join(f"{verdict}: {text}" for verdict, text in case.problems))
    print(", ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())))
    checks.finish()


if __name__ == "__main__":
    main()
