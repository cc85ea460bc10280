"""One golden case: a project in cases/NAME/in, what `migrator migrate` makes of it in cases/NAME/expected.

options.txt, where there is one, holds further options. expected/out is the migrated tree, expected/findings.txt has one line per finding: place, rule, severity, state, subject.
Messages are not in it: they may be reworded without touching every case.
"""

import base64
import difflib
import gzip
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import is_python, run, run_ok  # noqa: E402
from json_schema import problems  # noqa: E402


def tree(directory):
    """{relative path: what is there}: bytes with the executable bit, or the target of a link."""
    content = {}
    for path in sorted(Path(directory).rglob("*")):
        name = str(path.relative_to(directory))
        if path.is_symlink():
            content[name] = f"-> {path.readlink()}".encode()
        elif path.is_file():
            content[name] = path.read_bytes() + (b"\nexecutable" if path.stat().st_mode & 0o100 else b"")
        elif not any(path.iterdir()):
            content[name] = b"empty directory"
    return content


def finding_lines(report):
    lines = []
    for file in report["files"]:
        for finding in file["findings"]:
            place = f"{file['path']}:{finding['begin']['line']}:{finding['begin']['column']}"
            lines.append(f"{place} {finding['rule']} {finding['severity']} {finding['state']} {finding['subject']}\n")
    return "".join(lines)


def difference(expected, found, name):
    old, new = (text.decode(errors="replace").splitlines(keepends=True) for text in (expected, found))
    return "".join(difflib.unified_diff(old, new, f"{name} (expected)", f"{name} (found)"))


def compare_trees(checks, expected, found, what):
    checks.equal(sorted(found), sorted(expected), f"{what}: files")
    for name in sorted(set(expected) & set(found)):
        checks.expect(expected[name] == found[name], f"{what}: {name} differs\n{difference(expected[name], found[name], name)}")


def migrate(checks, migrator, work, output, *options):
    """Migrates work/in into work/output; the parsed report, or None when it failed."""
    arguments = ["migrate", "in", "-o", output, "--report", f"{output}_report", *options]
    if not run_ok(checks, migrator, *arguments, cwd=work):
        return None
    return json.loads((work / f"{output}_report/report.json").read_text())


def check_page(checks, page, text):
    """The page holds report.json as data that cannot leave its element, and lets only its own script and style run."""
    data = re.search(r'<script type="application/gzip" id="report-data">([A-Za-z0-9+/=\n]*)</script>', page)
    if checks.expect(data is not None, "report.html: no data"):
        parts = b"".join(gzip.decompress(base64.b64decode(line)) for line in data[1].split())
        checks.expect(json.loads(parts) == json.loads(text), "report.html: its data is not report.json")
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        content = re.search(f"<{element}>(.*?)</{element}>", page, re.S)[1]
        wanted = "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        checks.expect(f"{directive} '{wanted}'" in page, f"report.html: {directive} is not '{wanted}'")


def check_schema(checks, report):
    schema = json.loads((Path(__file__).resolve().parents[3] / "docs/reference/report.schema.json").read_text())
    checks.equal(problems(report, schema)[:5], [], "report.json against docs/reference/report.schema.json")


# Several English words in a row, outside of quotes and of what the project calls its things.
LEFT_IN_ENGLISH = re.compile(r"(?<![-\w./])(?:[a-z]{2,} ){3,}[a-z]{2,}")


def check_translations(checks, report):
    """All that the report says is there in Chinese as well."""
    chinese = report["translations"]["zh"]
    said = {finding["message"] for file in report["files"] for finding in file["findings"]}
    said |= {rule["message"] for rule in report["rules"]} | {action["message"] for action in report["actions"]} | set(report["notes"])
    for text in sorted(said):
        if checks.expect(text in chinese, f"not translated: {text}"):
            checks.expect(not LEFT_IN_ENGLISH.search(re.sub(r'`.*?`|".*?"|（.*?）', "", chinese[text])), f"in part translated: {chinese[text]}")


def check_git_apply(checks, work, output):
    """git applies report.diff to the project and gives the migrated tree."""
    diff = work / f"{output}_report/report.diff"
    if shutil.which("git") is None or diff.stat().st_size == 0:
        return
    clone = work / "clone"
    shutil.copytree(work / "in", clone, symlinks=True)
    run_ok(checks, "git", "init", "--quiet", clone)
    if run_ok(checks, "git", "-C", clone, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", diff):
        migrated, applied = tree(work / output), tree(clone)
        # The project may have directories that are not in the copy.
        # ... and links out of the project, which are absolute in the copy.
        same = {name for name in applied if name in migrated and not migrated[name].startswith(b"-> /")}
        compare_trees(checks, {name: migrated[name] for name in migrated if not migrated[name].startswith(b"-> /")},
                      {name: applied[name] for name in same}, "git apply")
    shutil.rmtree(clone)


def check_apply(checks, migrator, work, report):
    """The report and the sources give the migrated tree again, and a part of the findings gives a tree that parses."""
    if run_ok(checks, migrator, "apply", "out_report/report.json", "-o", "applied", cwd=work):
        compare_trees(checks, tree(work / "out"), tree(work / "applied"), "apply")
    ids = [finding["id"] for file in report["files"] for finding in file["findings"]]
    checks.equal(len(set(ids)), len(ids), "ids are unique")
    decisions = [{"finding": id, "decision": "accept" if int(id, 16) % 2 else "reject"} for id in ids]
    (work / "half.json").write_text(json.dumps({"schema": "migrator-decisions/1", "decisions": decisions}))
    if run_ok(checks, migrator, "apply", "out_report/report.json", "--decisions", "half.json", "-o", "half", cwd=work):
        check_parses(checks, work, "half")


def check_parses(checks, work, output):
    for path in (work / output).rglob("*.py"):
        if path.is_file() and not path.is_symlink() and is_python((work / "in" / path.relative_to(work / output)).read_bytes()):
            checks.expect(is_python(path.read_bytes()), f"{output}: {path.name}: no longer Python")


def check_scripts(checks, work, output):
    """What the shell and shellcheck, where it is installed, say of scripts that are new."""
    for path in sorted((work / output).rglob("*.sh")):
        if (work / "in" / path.relative_to(work / output)).exists():
            continue
        run_ok(checks, "bash", "-n", path)
        if shutil.which("shellcheck") is not None:
            run_ok(checks, "shellcheck", path)


def check_properties(checks, migrator, work, *options):
    """What holds for every project: work/in has been migrated to work/out with these options."""
    report = json.loads((work / "out_report/report.json").read_text())
    check_page(checks, (work / "out_report/report.html").read_text(), (work / "out_report/report.json").read_text())
    check_schema(checks, report)
    check_translations(checks, report)
    check_git_apply(checks, work, "out")
    check_parses(checks, work, "out")
    check_scripts(checks, work, "out")
    check_apply(checks, migrator, work, report)

    # The same for every number of threads.
    one = migrate(checks, migrator, work, "one", "-j", "1", *options)
    if one is not None:
        compare_trees(checks, tree(work / "out"), tree(work / "one"), "with one thread")
        checks.expect({**one, "output": "out", "command_line": report["command_line"]} == report, "report.json depends on the number of threads")

    # A migrated project is left alone.
    again = work / "again"
    again.mkdir()
    shutil.copytree(work / "out", again / "in", symlinks=True)
    second = migrate(checks, migrator, again, "out")
    if second is not None:
        compare_trees(checks, tree(again / "in"), tree(again / "out"), "second migration")
        checks.equal(second["summary"]["files_changed"], 0, "files changed by the second migration")


def run_case(checks, migrator, case, work, update):
    """Runs one case in the empty directory `work`; with `update` the expected files are replaced."""
    shutil.copytree(case / "in", work / "in", symlinks=True)
    before = tree(work / "in")
    options = case / "options.txt"
    options = options.read_text().split() if options.exists() else []
    report = migrate(checks, migrator, work, "out", "-j", "2", *options)
    if report is None:
        return
    compare_trees(checks, before, tree(work / "in"), f"{case.name}: the project itself")
    found = {**{f"out/{name}": content for name, content in tree(work / "out").items()},
             "findings.txt": finding_lines(report).encode()}
    expected_directory = case / "expected"
    if update:
        show_update(case.name, tree(expected_directory) if expected_directory.exists() else {}, found)
        shutil.rmtree(expected_directory, ignore_errors=True)
        shutil.copytree(work / "out", expected_directory / "out", symlinks=True)
        (expected_directory / "findings.txt").write_bytes(found["findings.txt"])
    compare_trees(checks, tree(expected_directory), found, case.name)
    check_properties(checks, migrator, work, *options)


def show_update(name, expected, found):
    for path in sorted(set(expected) | set(found)):
        print(difference(expected.get(path, b""), found.get(path, b""), f"{name}/expected/{path}"), end="")
