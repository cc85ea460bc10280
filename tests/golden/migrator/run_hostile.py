"""Gives `migrator` bad command lines and projects full of surprises.

    run_hostile.py [NAME...]

A bad command line or input ends with the documented exit code and one clear message, and changes nothing on the disk.
A strange file in a project is a finding at most; the other files are migrated all the same.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402
from golden_cases import check_properties, compare_trees, migrate, tree  # noqa: E402

USAGE, RULE_DATA, BAD_INPUT, UNSUPPORTED = 2, 3, 4, 5  # docs/reference/exit-codes.md
TRAIN = "import torch\nprint(torch.cuda.current_device())\n"
MIGRATED = "torch.npu.current_device()"

REFUSED = {}
STRANGE = {}


def refused(code, *mentions):
    """A case that must fail: the function prepares `work`, which has a good project `in`, and gives the arguments."""
    def register(function):
        REFUSED[function.__name__] = (code, mentions, function)
        return function
    return register


def strange(function):
    """A case that must succeed: the function adds something to `project` and checks (report, project, output)."""
    STRANGE[function.__name__] = function
    return function


# ---- refused ----

@refused(USAGE, "migrator --help")
def no_command(work):
    return []


@refused(USAGE, "--nope", "migrator analyze --help")
def unknown_option(work):
    return ["analyze", "in", "--nope"]


SAVED = {"schema": "migrator-report/1", "root": "in", "files": [
    {"path": "train.py", "original": {"sha256": "0" * 64, "encoding": "utf-8"},
     "findings": [{"id": "0" * 16, "rule": "r", "severity": "error", "state": "applied", "subject": "s", "begin": {"line": 1}}],
     "edits": [{"begin_byte": 0, "end_byte": 6, "old_text": "import", "new_text": "export", "findings": ["0" * 16]}]}]}


def save(work, **changes):
    """A report with one edit of in/train.py, and the command line that applies it."""
    file = {**SAVED["files"][0], **changes.pop("file", {})}
    (work / "report.json").write_text(json.dumps({**SAVED, "files": [file], **changes}))
    return ["apply", "report.json", "--in-place"]


@refused(BAD_INPUT, "in/train.py", "has changed since the report was made")
def apply_to_changed_source(work):
    return save(work)


@refused(BAD_INPUT, "in/gone.py", "the file is not there", "--project")
def apply_to_missing_source(work):
    return save(work, file={"path": "gone.py"})


@refused(BAD_INPUT, "../evil.py", "leads out of the project")
def apply_outside_of_the_project(work):
    return save(work, file={"path": "../evil.py", "original": {"sha256": None, "new_mode": 420, "encoding": "utf-8"}})


@refused(BAD_INPUT, "in/train.py", "exists already")
def apply_new_file_over_another(work):
    return save(work, file={"original": {"sha256": None, "new_mode": 420, "encoding": "utf-8"}})


@refused(BAD_INPUT, "report.json", "not in order, or overlap")
def apply_overlapping_edits(work):
    edit = SAVED["files"][0]["edits"][0]
    return save(work, file={"edits": [edit, {**edit, "begin_byte": 3}]})


@refused(BAD_INPUT, "report.json", "migrator-report/1")
def apply_something_else(work):
    return save(work, schema="other/1")


@refused(BAD_INPUT, "report.json")
def apply_no_json(work):
    arguments = save(work)
    (work / "report.json").write_text("{")
    return arguments


@refused(BAD_INPUT, "decisions.json", "another report")
def apply_decisions_of_another_report(work):
    arguments = save(work)
    (work / "decisions.json").write_text(json.dumps({"schema": "migrator-decisions/1", "decisions": [{"finding": "f" * 16, "decision": "accept"}]}))
    return arguments + ["--decisions", "decisions.json"]


@refused(USAGE, "--only-accepted", "--decisions FILE")
def apply_only_accepted_of_nothing(work):
    return save(work) + ["--only-accepted"]


@refused(USAGE, "--output OUT or --in-place")
def apply_without_destination(work):
    return save(work)[:2]


@refused(BAD_INPUT, "no record of applied edits")
def undo_of_nothing(work):
    return ["undo", "in"]


@refused(BAD_INPUT, "missing", "no such file or directory")
def missing_path(work):
    return ["migrate", "missing", "-o", "out"]


@refused(BAD_INPUT, "missing.py")
def missing_second_path(work):
    return ["analyze", "in", "missing.py", "--report", "report"]


@refused(BAD_INPUT, "empty")
def empty_directory(work):
    (work / "empty").mkdir()
    return ["migrate", "empty", "-o", "out"]


@refused(USAGE, "out", "not empty")
def output_not_empty(work):
    (work / "out").mkdir()
    (work / "out/precious.txt").write_text("x")
    return ["migrate", "in", "-o", "out"]


@refused(USAGE, "out", "file")
def output_is_a_file(work):
    (work / "out").write_text("x")
    return ["migrate", "in", "-o", "out"]


@refused(USAGE, "in/out", "outside")
def output_inside_input(work):
    return ["migrate", "in", "-o", "in/out"]


@refused(USAGE, "outside")
def output_is_the_input(work):
    return ["migrate", "in", "-o", work / "in"]


@refused(USAGE, "outside")
def output_inside_input_through_a_link(work):
    (work / "link").symlink_to("in")
    return ["migrate", "in", "-o", "link/deep/out"]


@refused(USAGE, "project lies in the output")
def input_inside_output(work):
    return ["migrate", work / "in", "-o", "."]


@refused(USAGE, "report.txt", "directory")
def report_is_a_file(work):
    (work / "report.txt").write_text("x")
    return ["migrate", "in", "-o", "out", "--report", "report.txt"]


@refused(USAGE, "--rules", "nowhere")
def missing_rules(work):
    return ["analyze", "in", "--rules", "nowhere"]


@refused(USAGE, "in/pyproject.toml:2:10", "did you mean \"exclude\"")
def unknown_setting(work):
    (work / "in/pyproject.toml").write_text("[tool.migrator]\nexlude = []\n")
    return ["analyze", "in"]


@refused(USAGE, "--config", "--no-config")
def settings_and_none(work):
    return ["analyze", "in", "--config", "in/pyproject.toml", "--no-config"]


@refused(USAGE, "notes.txt", "--stdin-name")
def standard_input_of_no_known_kind(work):
    return ["analyze", "-", "--stdin-name", "notes.txt"]


@refused(USAGE, "one PATH")
def copy_of_two_paths(work):
    (work / "more").mkdir()
    return ["migrate", "in", "more", "-o", "out"]


@refused(USAGE, "torch_apis")
def older_tool_unknown_mode(work):
    return ["-i", "in", "-o", ".", "-m", "magic"]


@refused(UNSUPPORTED, "train.py", "no training loop", "cannot be made distributed")
def nothing_to_distribute(work):
    return ["migrate", "in", "-o", "out", "--distributed", "train.py"]


@refused(USAGE, "--distributed", "elsewhere.py")
def distributed_script_is_missing(work):
    return ["migrate", "in", "-o", "out", "--distributed", "elsewhere.py"]


@refused(USAGE, "house.json")
def rule_file_is_there(work):
    (work / "house.json").write_text("{}")
    return ["rules", "new", "house.json"]


@refused(RULE_DATA, "broken.json:1:")
def broken_rules(work):
    (work / "rules/rewrite").mkdir(parents=True)
    (work / "rules/rewrite/broken.json").write_text("{")
    return ["migrate", "in", "-o", "out", "--rules", "rules"]


# ---- strange, but no reason to stop ----

def rules_of(report, path):
    return [finding["rule"] for file in report["files"] if file["path"] == path for finding in file["findings"]]


@strange
def not_utf8(project):
    (project / "bad.py").write_bytes(b"name = '\xff\xfe'\nimport torch\n")

    def check(checks, report, output):
        checks.expect(any(rule.startswith("file.") for rule in rules_of(report, "bad.py")), "no finding for bad.py")
        checks.expect((output / "bad.py").read_bytes() == b"name = '\xff\xfe'\nimport torch\n", "bad.py is not as it was")
        checks.equal(report["summary"]["files_with_problems"], 1, "files with problems")
    return check


@strange
def nul_bytes(project):
    (project / "nul.py").write_bytes(b"import torch\0\ntorch.cuda.synchronize()\n")

    def check(checks, report, output):
        checks.expect(rules_of(report, "nul.py") != [], "no finding for nul.py")
        checks.expect(b"\0" in (output / "nul.py").read_bytes(), "nul.py is not as it was")
    return check


@strange
def unparsable(project):
    (project / "broken.py").write_text("import torch\ndef f(:\n    return torch.cuda.(\n")

    def check(checks, report, output):
        checks.expect(rules_of(report, "broken.py") != [], "no finding for broken.py")
        checks.equal(report["summary"]["files_with_problems"], 1, "files with problems")
    return check


@strange
def broken_notebook(project):
    (project / "broken.ipynb").write_text('{"cells": [')

    def check(checks, report, output):
        checks.expect(rules_of(report, "broken.ipynb") != [], "no finding for broken.ipynb")
    return check


DEEP = {
    "deep.sh": '"$(' * 30_000, "open.sh": "cat <<END\n" * 200_000, "Dockerfile": "RUN \\\n" * 20_000, "Makefile": "a:\n\t$(shell " * 10_000,
    "deep.yaml": "- " * 30_000, "nested.yaml": "".join(" " * i + "a:\n" for i in range(600)), "quoted.yaml": 'a: "' + "x\n" * 50_000,
    "flow.yaml": "{a: [" * 20_000, "deep.json": "[" * 50_000, "broken.toml": "a = [\n" * 20_000, "broken.ini": "[" * 50_000 + "\n = \n" * 9,
    "deep.env": "A=$(" * 20_000, "run.ps1": "{'\"`" * 20_000, "line.yaml": "a: " + "device=cuda " * 20_000, "line.sh": "x --device cuda " * 20_000,
    "quotes.sh": "sh -c \"'" * 30_000, "escapes.sh": 'sh -c "' + '\\"' * 60_000, "program.sh": "python -c '" + "(" * 60_000 + "'\n",
    "programs.sh": 'python -c "import torch; ' * 10_000, "document.sh": "python - <<END\nimport torch\n" + "x = [\n" * 60_000,
    "services.yaml": "services: {" * 20_000, "config.pbtxt": "instance_group [ { kind: KIND_GPU " * 10_000,
}


@strange
def deep_and_broken_text_files(project):
    for name, text in DEEP.items():
        (project / name).write_text(text)

    def check(checks, report, output):
        for name, text in DEEP.items():
            changed = (output / name).read_text() != text
            checks.equal(changed, name in ("line.yaml", "line.sh"), f"{name} is changed")
        checks.expect("npu" in (output / "line.sh").read_text() and "cuda" not in (output / "line.sh").read_text(), "line.sh is not migrated")
    return check


@strange
def links_and_modes(project):
    (project / "run.sh").write_text("#!/bin/sh\npython train.py\n")
    (project / "run.sh").chmod(0o750)
    (project / "secret.txt").write_text("x")
    (project / "secret.txt").chmod(0o440)
    (project / "latest.py").symlink_to("train.py")
    (project / "dangling").symlink_to("/does/not/exist")
    (project / "loop").symlink_to(".")
    (project / "outside").symlink_to("../shared_data")
    (project / "checkpoints/empty").mkdir(parents=True)
    os.utime(project / "run.sh", (1e9, 1e9))
    os.utime(project / "secret.txt", (1e9, 1e9))
    (project / "checkpoints").chmod(0o750)

    def check(checks, report, output):
        checks.equal((output / "run.sh").stat().st_mode & 0o777, 0o750, "mode of run.sh")
        checks.equal((output / "secret.txt").stat().st_mode & 0o777, 0o440, "mode of secret.txt")
        checks.equal(os.readlink(output / "latest.py"), "train.py", "latest.py")
        checks.equal(os.readlink(output / "dangling"), "/does/not/exist", "dangling")
        checks.equal(os.readlink(output / "loop"), ".", "loop")
        checks.equal(os.readlink(output / "outside"), str((project.parent / "shared_data").resolve()), "outside")
        checks.equal((output / "checkpoints").stat().st_mode & 0o777, 0o750, "mode of checkpoints")
        for name in ("run.sh", "secret.txt"):
            checks.equal((output / name).stat().st_mtime, 1e9, f"time of {name}")
        checks.expect((output / "checkpoints/empty").is_dir(), "the empty directory is not there")
    return check


@strange
def odd_names(project):
    for name in ("with space.py", "数据.py", "quo'te\"s.py", "tab\there.py", "-dash.py", "<script>.py"):
        (project / name).write_text(TRAIN)

    def check(checks, report, output):
        checks.equal(report["summary"]["files_changed"], 7, "files changed")
        for path in output.glob("*.py"):
            checks.expect(MIGRATED in path.read_text(), f"{path.name} is not migrated")
    return check


@strange
def encodings(project):
    (project / "bom.py").write_bytes(b"\xef\xbb\xbf" + TRAIN.encode())
    (project / "crlf.py").write_bytes(TRAIN.replace("\n", "\r\n").encode())
    (project / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n" + TRAIN.encode())
    (project / "open_end.py").write_text(TRAIN.rstrip("\n"))
    (project / "form_feed.py").write_text(TRAIN.replace("print", "\fprint"))

    def check(checks, report, output):
        content = {path.name: path.read_bytes() for path in output.glob("*.py")}
        checks.expect(content["bom.py"].startswith(b"\xef\xbb\xbfimport"), "bom.py: no byte order mark")
        checks.equal(content["crlf.py"].count(b"\n"), content["crlf.py"].count(b"\r\n"), "crlf.py: line ends")
        checks.expect(b"caf\xe9" in content["latin.py"], "latin.py: encoding")
        checks.expect(content["open_end.py"].endswith(b")"), "open_end.py: end of the file")
        checks.expect(b"\fprint" in content["form_feed.py"], "form_feed.py: form feed")
        for name, text in content.items():
            checks.expect(MIGRATED.encode() in text, f"{name} is not migrated")
    return check


@strange
def hostile_text(project):
    (project / "page.py").write_text(TRAIN + "x = torch.cuda.Stream() # </script><script>alert(1)</script> \u2028 \u202e\n")

    def check(checks, report, output):
        checks.expect("</script><script>" in (output / "page.py").read_text(), "page.py")
    return check


@strange
def skipped_directories(project):
    for directory in (".git", "__pycache__", "venv"):
        (project / directory).mkdir()
        (project / directory / "a.py").write_text(TRAIN)
    (project / "venv/pyvenv.cfg").write_text("")

    def check(checks, report, output):
        checks.equal(sorted(path.name for path in output.iterdir()), ["train.py"], "the copy")
        checks.expect(any(".git, __pycache__, venv" in note for note in report["notes"]), "no note of what was skipped")
    return check


@strange
def many_parentheses(project):
    (project / "deep.py").write_text("x = " + "(" * 20000 + "1" + ")" * 20000 + "\n")
    return lambda checks, report, output: checks.expect((output / "deep.py").exists(), "deep.py")


@strange
def generated_monsters(project):
    """What programs write: nothing may cost the square of its size."""
    many = 5_000
    # Too deep for CPython's own parser; with the last line they are no Python, so that it is not asked about them.
    (project / "chain.py").write_text("import torch\nx = torch.zeros(1)" + ".cuda()" * many + "\n)\n")
    (project / "sum.py").write_text("import torch\nx = torch.device(" + " + ".join(["'cuda'"] * many) + ")\n)\n")
    (project / "table.py").write_text("x = {" + ", ".join(f"'cuda:{i}': 'cuda'" for i in range(many)) + "}\n")
    (project / "line.py").write_text("import torch\nx = [" + "torch.cuda.Stream, " * many + "]\n")
    (project / "tests.py").write_text("import torch\nif x:\n    pass\n"
                                      + "".join(f"elif x == {i}:\n    torch.cuda.synchronize()\n" for i in range(many // 10)))
    (project / "aliases.py").write_text("import torch\nx0 = torch.cuda\n" + "".join(f"x{i + 1} = x{i}\n" for i in range(many)) + f"x{many}.init()\n")
    (project / "rebinds.py").write_text("import torch\n" + "".join(f"if n == {i}: dev = 'cuda:{i}'\n" for i in range(many)) + "x = torch.zeros(1, device=dev)\n")
    (project / "brackets.py").write_text("import torch\ntorch.cuda.init()\n" + "([{" * many + "\n")

    def check(checks, report, output):
        for name in ("chain.py", "sum.py", "line.py", "tests.py", "aliases.py", "rebinds.py"):
            checks.expect("npu" in (output / name).read_text(), f"{name} is not migrated")
        checks.expect(rules_of(report, "brackets.py") != [], "no finding for brackets.py")
        size = len(json.dumps(report))
        checks.expect(size < 50_000_000, f"the report has {size} bytes")
    return check


@strange
def names_that_older_versions_used(project):
    partial = project.parent / "out.partial"
    partial.mkdir()
    (partial / ".migrator_incomplete").write_text("")
    (partial / "precious.txt").write_text("x")
    (project / "train.py.partial").symlink_to("../precious")
    (project.parent / "precious").write_text("x")

    def check(checks, report, output):
        checks.equal((partial / "precious.txt").read_text(), "x", "a file of the user's")
        checks.equal((project.parent / "precious").read_text(), "x", "a file behind a link of the project")
    return check


def run_refused(checks, migrator, name, work):
    code, mentions, prepare = REFUSED[name]
    arguments = prepare(work)
    before = tree(work)
    done = run(migrator, *arguments, cwd=work)
    checks.equal(done.returncode, code, f"{name}: exit code")
    checks.expect(done.stderr.startswith("migrator: error: ") and done.stderr.count("\n") == 1, f"{name}: not one message: {done.stderr!r}")
    checks.equal(done.stdout, "", f"{name}: standard output")
    for mention in mentions:
        checks.expect(mention in done.stderr, f"{name}: the message does not say {mention!r}: {done.stderr}")
    compare_trees(checks, before, tree(work), name)


def run_strange(checks, migrator, name, work):
    check = STRANGE[name](work / "in")
    before = tree(work / "in")
    failures = len(checks.failures)
    report = migrate(checks, migrator, work, "out")
    if report is not None:
        compare_trees(checks, before, tree(work / "in"), "the project itself")
        check(checks, report, work / "out")
        if (work / "in/train.py").exists():
            checks.expect(MIGRATED in (work / "out/train.py").read_text(), "train.py is not migrated")
        check_properties(checks, migrator, work)
    checks.failures[failures:] = [f"{name}: {failure}" for failure in checks.failures[failures:]]


def check_exit_codes(checks, migrator, work):
    """--fail-on and --json, on the good project."""
    for arguments, code in ((["--fail-on", "info"], 1), (["--fail-on", "never"], 0), ([], 0)):
        checks.equal(run(migrator, "analyze", "in", *arguments, cwd=work).returncode, code, f"exit code of {arguments}")
    shutil.copytree(work / "in", work / "clean")
    (work / "clean/train.py").write_text("print(1)\n")
    checks.equal(run(migrator, "analyze", "clean", "--fail-on", "info", cwd=work).returncode, 0, "exit code without findings")
    done = run(migrator, "analyze", "in", "--json", "-q", cwd=work)
    checks.equal(json.loads(done.stdout)["schema"], "migrator-report/1", "--json: schema")
    checks.equal(done.stderr, "", "--json -q: standard error")
    checks.equal(run(migrator, "analyze", "in", "-q", cwd=work).stdout, "", "-q: standard output")
    # A hook or a pipeline that fails says why, however quiet it is.
    for arguments, reason in ((["analyze", "in", "--fail-on", "info"], "open at or above info: 1 finding, the first is train.py:2 "),
                              (["migrate", "in", "--check"], "1 file would change; `migrator migrate in --diff` shows how")):
        done = run(migrator, *arguments, "-q", cwd=work)
        checks.equal((done.returncode, done.stdout), (1, ""), f"{arguments} -q")
        checks.expect(done.stderr.startswith(f"migrator: {reason}") and done.stderr.count("\n") == 1, f"{arguments} -q: {done.stderr}")


def check_force(checks, migrator, work):
    """--force replaces the output as a whole; a link that is named and changed in place stays a link."""
    (work / "out").mkdir()
    (work / "out/old.py").write_text("old")
    run_ok(checks, migrator, "migrate", "in", "-o", "out", "--force", "-q", cwd=work)
    checks.equal(sorted(path.name for path in (work / "out").iterdir()), ["train.py"], "--force: files")
    checks.equal(sorted(path.name for path in work.iterdir()), ["in", "out", "out_report"], "--force: what is left behind")
    (work / "link.py").symlink_to("in/train.py")
    run_ok(checks, migrator, "migrate", "link.py", "--in-place", "-q", cwd=work)
    checks.expect((work / "link.py").is_symlink() and MIGRATED in (work / "in/train.py").read_text(), "in place through a link")


def check_own_rules(checks, migrator, work):
    """A rule from its template to its use."""
    run_ok(checks, migrator, "rules", "new", "own/house.json", cwd=work)
    run_ok(checks, migrator, "rules", "check", "own", cwd=work)
    run_ok(checks, migrator, "rules", "test", "own", cwd=work)
    (work / "in/train.py").write_text("import our_package\nour_package.gpu_count()\n")
    done = run(migrator, "migrate", "in", "--diff", "--rules", "own", cwd=work)
    checks.expect("+our_package.npu_count()" in done.stdout, f"--rules: {done.stdout!r}")
    (work / "own/cases/house.py").write_text("")
    checks.equal(run(migrator, "rules", "test", "own", cwd=work).returncode, RULE_DATA, "rules test: exit code")
    (work / "own/house.json").write_text('{"schema": 1, "rules": 1}')
    done = run(migrator, "rules", "check", "own", "--json", cwd=work)
    checks.equal(done.returncode, RULE_DATA, "rules check: exit code")
    checks.equal(json.loads(done.stdout)["problems"][0]["where"].split(":")[0], "own/house.json", "rules check --json")


def check_pipe(checks, migrator, work):
    """Standard input and output: the source there and back, byte for byte what a file becomes."""
    source = (work / "in/train.py").read_bytes().replace(b"\n", b"\r\n") + b"# caf\xc3\xa9"
    pipe = {"input": source, "capture_output": True, "cwd": work}
    done = subprocess.run([migrator, "migrate", "-", "--stdin-name", "train.py"], **pipe)
    (work / "pipe.py").write_bytes(source)
    run(migrator, "migrate", "pipe.py", "--in-place", "-q", cwd=work)
    checks.equal(done.stdout, (work / "pipe.py").read_bytes(), "migrate -: standard output")
    checks.expect(b"torch.npu" in done.stdout, "migrate -: not migrated")
    checks.expect(done.stderr.startswith(b"migrator "), "migrate -: no summary on standard error")
    done = subprocess.run([migrator, "migrate", "-", "--json"], **pipe)
    checks.equal(json.loads(done.stderr)["output"], "-", "migrate - --json: standard error")
    done = subprocess.run([migrator, "analyze", "-", "--json", "-q", "--fail-on", "warning"], **pipe)
    checks.equal(json.loads(done.stdout)["files"][0]["path"], "stdin.py", "analyze - --json")
    checks.equal(done.returncode, 1, "analyze - --fail-on: exit code")
    done = subprocess.run([migrator, "migrate", "-", "--diff", "-q"], **pipe)
    checks.expect(done.stdout.startswith(b"--- a/stdin.py\n"), "migrate - --diff")
    (work / "pipe.py").unlink()


def check_destinations(checks, migrator, work):
    """--check, --diff and --in-place, on the good project and on a single file with mode and encoding of its own."""
    before = tree(work)
    checks.equal(run(migrator, "migrate", "in", "--check", "-q", cwd=work).returncode, 1, "--check: exit code")
    diff = run(migrator, "migrate", "in", "--diff", cwd=work)
    checks.equal(diff.returncode, 0, "--diff: exit code")
    checks.expect("\n+" in diff.stdout and MIGRATED in diff.stdout, f"--diff: {diff.stdout!r}")
    compare_trees(checks, before, tree(work), "--check and --diff")
    script = work / "in/script.py"
    script.write_bytes(b"# -*- coding: latin-1 -*-\r\nimport torch  # caf\xe9\r\ntorch.cuda.init()\r\n")
    script.chmod(0o755)
    project = tree(work / "in")
    run_ok(checks, migrator, "migrate", "in/script.py", "--in-place", "-q", cwd=work)
    checks.equal(script.read_bytes(), b"# -*- coding: latin-1 -*-\r\nimport torch  # caf\xe9\r\nimport torch_npu\r\ntorch.npu.init()\r\n",
                 "--in-place: the file")
    checks.equal(script.stat().st_mode & 0o777, 0o755, "--in-place: mode")
    checks.expect(MIGRATED not in (work / "in/train.py").read_text(), "--in-place: another file has changed")
    run_ok(checks, migrator, "migrate", "in", "--in-place", "-q", cwd=work)
    checks.expect(MIGRATED in (work / "in/train.py").read_text(), "--in-place: the project")
    checks.equal(sorted(path.name for path in (work / "in").iterdir()), [".migrator", "script.py", "train.py"], "--in-place: files")
    checks.equal(run(migrator, "migrate", "in", "--check", "-q", cwd=work).returncode, 0, "--check of a migrated project")
    for record in ("in/.migrator/applied_2", "in/.migrator/applied"):
        run_ok(checks, migrator, "undo", record, cwd=work)
    checks.equal(tree(work / "in"), project, "undo: the project")


def main():
    checks = Checks()
    migrator = tool("migrator")
    runners = [(name, run_refused) for name in REFUSED] + [(name, run_strange) for name in STRANGE]
    runners.append(("destinations", lambda checks, migrator, _, work: check_destinations(checks, migrator, work)))
    runners.append(("force", lambda checks, migrator, _, work: check_force(checks, migrator, work)))
    runners.append(("own_rules", lambda checks, migrator, _, work: check_own_rules(checks, migrator, work)))
    runners.append(("pipe", lambda checks, migrator, _, work: check_pipe(checks, migrator, work)))
    runners.append(("exit_codes", lambda checks, migrator, _, work: check_exit_codes(checks, migrator, work)))
    for name, runner in runners:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with temporary_directory() as directory:
            work = Path(directory)
            (work / "in").mkdir()
            (work / "in/train.py").write_text(TRAIN)
            runner(checks, migrator, name, work)
    checks.finish()


if __name__ == "__main__":
    main()
