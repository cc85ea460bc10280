"""Projects, reports and outputs that try to make the programs write elsewhere, or over something: nothing else is ever touched.

    writing.py [NAME]     one of the checks; docs/security.md names them
"""

import copy
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

TRAIN = "import torch\nx = torch.zeros(3).cuda()\n"
MIGRATED = "import torch\nimport torch_npu\nx = torch.zeros(3).npu()\n"
CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def tree(directory):
    """Everything below it: kind, mode and content, without times."""
    out = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if path.is_symlink():
            out[name] = ("link", os.readlink(path))
        elif path.is_file():
            out[name] = (oct(path.stat().st_mode & 0o7777), path.read_bytes())
        else:
            out[name] = ("other",)
    return out


def project(work, **files):
    (work / "p").mkdir()
    (work / "p/train.py").write_text(TRAIN)
    (work / "victim").write_text("mine\n")
    for name, content in files.items():
        (work / "p" / name.replace("__", ".")).write_text(content)


def migrator(work, *arguments):
    return run(tool("migrator"), *arguments, cwd=work)


@check
def analyze_writes_nothing(checks, work):
    """Whatever the project says, and whatever lies in it."""
    for number, settings in enumerate(['report = "."', f'report = "{work}/keep"', 'report = "../keep"', 'no-record = true',
                                       'rules = "/etc"', 'with-library = ["/etc/passwd"]', 'baseline = "/etc/passwd"']):
        place = work / str(number)
        place.mkdir()
        project(place, pyproject__toml=f"[tool.migrator]\n{settings}\n")
        for name in ("report.diff", "report.html", "report.json"):
            (place / "p" / f"{name}.partial").symlink_to("../victim")
            (place / "p" / name).symlink_to("../victim")
        (work / "keep").mkdir(exist_ok=True)
        (work / "keep/report.html").write_text("my own")
        before = tree(work)
        done = migrator(place, "analyze", "p")
        checks.equal(done.returncode, 0, f"{settings}: {done.stderr}")
        told = "A project does not choose" in done.stdout or settings.startswith("no-record")  # which analyze does not have
        checks.expect(told, f"{settings}: not told: {done.stdout}")
        checks.expect(tree(work) == before, f"{settings}: something was written")


@check
def settings_of_a_project(checks, work):
    project(work, pyproject__toml='[tool.migrator]\nexclude = ["old/"]\nno-record = true\nreport = "r"\n')
    done = migrator(work, "migrate", "p", "--in-place")
    checks.equal(done.returncode, 0, done.stderr)
    checks.expect((work / "p/.migrator/applied/applied.json").exists(), "a project took away the record")
    said = " ".join(done.stdout.split())
    checks.expect("Settings were read from p/pyproject.toml: exclude. A project does not choose no-record, report: give it on the "
                  "command line, or name the file with --config." in said, f"not told in one line: {done.stdout}")
    checks.equal((work / "p/train.py").read_text(), MIGRATED, "the project")
    # A file that the user names may say all of it, and what it says is what happens.
    for value, keeps in (("true", False), ("false", True)):
        place = work / value
        place.mkdir()
        project(place)
        (place / "mine.toml").write_text(f"[tool.migrator]\nno-record = {value}\n")
        done = migrator(place, "migrate", "p", "--in-place", "--config", "mine.toml")
        checks.equal(done.returncode, 0, done.stderr)
        checks.equal((place / "p/.migrator").exists(), keeps, f"no-record = {value}: the record")


@check
def names_and_links(checks, work):
    """Names that a writer might use for itself, as files and as links of the project's."""
    for number, target in enumerate(["train.py.partial", ".train.py.unfinished", ".migrator", ".migrator.run", ".migrator/applied",
                                     ".migrator/.gitignore", "any_device.py"]):
        place = work / str(number)
        place.mkdir()
        project(place)
        (place / "outside").mkdir()
        link = place / "p" / target
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(os.path.relpath(place / ("outside" if target == ".migrator" else "victim"), link.parent))
        done = migrator(place, "migrate", "p", "--in-place", "--style", "portable", "-q")
        checks.expect(done.returncode in (0, 2, 4, 6), f"{target}: {done.stderr}")
        checks.equal((place / "victim").read_text(), "mine\n", f"{target}: the file behind the link")
        checks.equal(list((place / "outside").iterdir()), [], f"{target}: the directory behind the link")
        checks.expect(not (place / "p/train.py").is_symlink(), f"{target}: the source became a link")
    place = work / "file"
    place.mkdir()
    project(place)
    (place / "p/train.py.partial").write_text("MY NOTES")
    migrator(place, "migrate", "p", "--in-place", "-q")
    undone = migrator(place, "undo", "p/.migrator/applied")
    checks.equal(undone.returncode, 0, undone.stderr)
    checks.equal(sorted(path.name for path in (place / "p").iterdir()), ["train.py", "train.py.partial"], "after undo")
    checks.equal((place / "p/train.py.partial").read_text(), "MY NOTES", "a file of the user's")
    for name in (".partial", ".unfinished-0123456789abcdef"):
        out = work / f"out{name}"
        (out / name).mkdir(parents=True)
        (out / name / "data").write_text("mine")
        make_tiny(checks, "qwen3", work / f"hf{name}", "--layers", "1")
        done = run(tool("ckpt_convert"), "--load-dir", work / f"hf{name}", "--save-dir", out, cwd=work)
        checks.equal(done.returncode, 2, f"{name}: {done.stderr}")
        checks.equal((out / name / "data").read_text(), "mine", f"{name}: a file of the user's")


def new_file(path, mode=0o4777, text="EVIL\n"):
    return {"path": path, "original": {"sha256": None, "new_mode": mode, "encoding": "utf-8"}, "text": text}


def known_file(path, content, text="EVIL\n"):
    return {"path": path, "original": {"sha256": hashlib.sha256(content).hexdigest(), "encoding": "utf-8"}, "text": text}


def crafted(base, files, **changes):
    report = copy.deepcopy(base)
    first = report["files"][0]
    report["files"] = []
    for file in files:
        made = copy.deepcopy(first)
        made["path"], made["original"] = file["path"], file["original"]
        made["edits"] = [{**first["edits"][0], "begin_byte": 0, "end_byte": 0, "old_text": "", "new_text": file["text"]}]
        report["files"].append(made)
    report.update(changes)
    return report


@check
def crafted_reports(checks, work):
    project(work)
    migrator(work, "analyze", "p", "--report", "made", "-q")
    base = json.loads((work / "made/report.json").read_text())
    evil = base["files"][0]["path"]
    bashrc = b"# known\n"
    outside = str(work / "outside")
    cases = {
        "..": ([new_file("../outside/x")], {}),
        "absolute": ([new_file(f"{outside}/x")], {}),
        "./..": ([new_file("./../outside/x")], {}),
        "a link to a directory": ([new_file("link/x")], {}),
        "a link to a file": ([known_file("l.py", bashrc)], {}),
        "another root, new hidden file": ([new_file(".ssh/authorized_keys")], {"root": outside}),
        "another root, known hidden file": ([known_file(".bashrc", bashrc)], {"root": outside}),
        "a root above": ([new_file("x")], {"root": ".."}),
        "a root far away": ([new_file("x")], {"root": "/tmp"}),
        "a hook": ([new_file(".git/hooks/post-checkout")], {}),
        "a hook, in capitals": ([new_file(".GIT/hooks/post-checkout")], {}),
        "a record": ([new_file(".migrator/applied/applied.json")], {}),
        "a NUL byte": ([new_file("a\0b")], {}),
        "no name": ([new_file("")], {}),
        "the root itself": ([new_file(".")], {}),
        "a slash at the end": ([new_file("a/")], {}),
        "a path twice": ([known_file("train.py", TRAIN.encode(), "# a\n"), known_file("train.py", TRAIN.encode(), "# b\n")], {}),
        "a path in two spellings": ([known_file("train.py", TRAIN.encode(), "# a\n"), known_file("./train.py", TRAIN.encode(), "# b\n")], {}),
    }
    for number, (name, (files, changes)) in enumerate(cases.items()):
        place = work / f"case{number}"
        place.mkdir()
        project(place)
        (place / "outside/.ssh").mkdir(parents=True)
        (place / "outside/.bashrc").write_bytes(bashrc)
        (place / "p/.git/hooks").mkdir(parents=True)
        (place / "p/link").symlink_to("../outside")
        (place / "p/l.py").symlink_to("../outside/.bashrc")
        (place / "review").mkdir()
        changes = {key: value.replace(str(work / "outside"), str(place / "outside")) for key, value in changes.items()}
        files = json.loads(json.dumps(files).replace(str(work / "outside"), str(place / "outside")))
        (place / "review/report.json").write_text(json.dumps(crafted(base, files, **changes)))
        before = tree(place)
        done = migrator(place, "apply", "review/report.json", "--in-place")
        checks.expect(done.returncode in (2, 4), f"{name}: ended with {done.returncode}: {done.stderr}")
        checks.expect(tree(place) == before, f"{name}: something was written: {set(tree(place).items()) ^ set(before.items())}")
    checks.equal(evil, "train.py", "the project's file")
    # A plain new file is made, without the bits that no file gets.
    (work / "made/report.json").write_text(json.dumps(crafted(base, [new_file("n.py")])))
    done = migrator(work, "apply", "made/report.json", "--in-place")
    checks.equal(done.returncode, 0, done.stderr)
    checks.expect(str((work / "p").resolve()) in done.stderr, f"the tree is not printed: {done.stderr}")
    umask = os.umask(0)
    os.umask(umask)
    checks.equal(oct((work / "p/n.py").stat().st_mode & 0o7777), oct(0o777 & ~umask), "mode of a new file")


@check
def crafted_records(checks, work):
    """A record that came with a project puts nothing back elsewhere."""
    project(work)
    home = work / "home"
    home.mkdir()
    (home / ".bashrc").write_text("# known\n")
    migrator(work, "migrate", "p", "--in-place", "-q")
    record = work / "p/.migrator/applied/applied.json"
    base = json.loads(record.read_text())
    digest = hashlib.sha256(b"# known\n").hexdigest()
    for root in (str(home), "../../../home", "../.."):
        for hidden in (".bashrc", "../home/.bashrc"):
            changed = copy.deepcopy(base)
            changed["root"] = root
            changed["files"] = [{**base["files"][0], "path": hidden, "sha256_after": digest,
                                 "original": {"sha256": None, "new_mode": 0o644, "encoding": "utf-8"}}]
            record.write_text(json.dumps(changed))
            for command in (["undo", "p/.migrator/applied"], ["reapply", "p/.migrator/applied", "--in-place"]):
                done = migrator(work, *command)
                checks.expect(done.returncode != 0, f"{root} {hidden} {command[0]}: {done.stdout}")
                checks.equal((home / ".bashrc").read_text(), "# known\n", f"{root} {hidden} {command[0]}: a file elsewhere")


def started_together(commands, cwd):
    processes = [subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for command in commands]
    return [(process.communicate(timeout=patience(120))[1], process.returncode) for process in processes]


@check
def two_runs(checks, work):
    """Both succeed with the right output, or one does and the other is refused."""
    make_tiny(checks, "qwen3", work / "hf", "--layers", "2")
    project(work)
    convert = [tool("ckpt_convert"), "--load-dir", "hf", "--no-progress", "--tp", "2"]
    migrate = [tool("migrator"), "migrate", "p", "-q", "--no-progress"]
    for name, command, option in (("convert", convert, "--save-dir"), ("migrate", migrate, "-o")):
        run(*command, option, "alone", cwd=work)
        wanted = tree(work / "alone")
        for round_number in range(6):
            out = f"{name}{round_number}"
            ended = started_together([[*command, option, out]] * 2, work)
            codes = sorted(code for _, code in ended)
            checks.expect(codes[0] == 0 and codes[1] in (0, 2), f"{name}: {ended}")
            checks.expect(tree(work / out) == wanted, f"{name} {round_number}: the output differs")
            left = [path.name for path in work.iterdir() if ".run" in path.name or "unfinished" in path.name]
            checks.equal(left, [], f"{name}: left")
        shutil.rmtree(work / "alone")


@check
def saved_meanwhile(checks, work):
    """A file that a person saves while the project is migrated in place keeps what they wrote, whenever that is."""
    mine = "import torch\ny = torch.ones(3).cuda()\n"
    command = [tool("migrator"), "migrate", "p", "--in-place", "-q"]
    outcomes = set()
    seconds = 0
    for number in range(31):
        place = work / str(number)
        place.mkdir()
        project(place, other__py=TRAIN * 1000)
        if number == 0:
            started = time.monotonic()
            checks.equal(run(*command, cwd=place).returncode, 0, "nobody saves anything")
            seconds = time.monotonic() - started
            continue
        before = tree(place / "p")
        process = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True)
        time.sleep(seconds * number / 20)
        (place / "saved").write_text(mine)
        os.replace(place / "saved", place / "p/train.py")
        said = process.communicate()[1]
        text = (place / "p/train.py").read_text()
        checks.expect(text.replace("import torch_npu\n", "").replace("npu", "cuda") == mine, f"save {number} is lost: {text!r}, {said!r}")
        outcomes.add(process.returncode)
        if process.returncode == 0:
            continue
        checks.expect(said.endswith("train.py: the file has changed since it was read. Nothing was written; run the command again\n")
                      and said.count("\n") == 1, f"save {number}: {said!r}")
        left = tree(place / "p")
        checks.equal({name for name in left | before if left.get(name) != before.get(name)}, {"train.py"}, f"save {number}")
        checks.equal(run(*command, cwd=place).returncode, 0, f"save {number}: the command again")
    checks.expect(len(outcomes) == 2, f"the saves came at one time only: {outcomes}")


@check
def changed_output(checks, work):
    """Somebody removes the unfinished output while a run writes it: no success is told of it."""
    make_tiny(checks, "qwen3", work / "hf", "--layers", "8")
    for number in range(4):
        out = work / f"out{number}"
        process = subprocess.Popen([tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", out.name, "--no-progress", "--tp", "2", "-j", "1"],
                                   cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        removed = False

        def remove():
            nonlocal removed
            while process.poll() is None and not removed:
                for unfinished in out.glob(".unfinished-*"):
                    shutil.rmtree(unfinished, ignore_errors=True)
                    removed = True

        thread = threading.Thread(target=remove)
        thread.start()
        error = process.communicate(timeout=patience(120))[1]
        thread.join()
        visible = (out / "latest_checkpointed_iteration.txt").exists()
        ranks = list(out.glob("iter_*/mp_rank_*/*.pt"))
        checks.expect((process.returncode == 0) == visible, f"ended with {process.returncode}, visible: {visible}: {error}")
        checks.expect(not visible or len(ranks) == 2, f"visible with {len(ranks)} files")


@check
def pipes(checks, work):
    project(work)
    make_tiny(checks, "qwen3", work / "hf", "--layers", "1")
    tools = {
        "pyproject.toml": lambda path: (["migrator", "analyze", "p"], work / "p/pyproject.toml"),
        "baseline": lambda path: (["migrator", "analyze", "p", "--baseline", "pipe"], work / "pipe"),
        "decisions": lambda path: (["migrator", "apply", "r/report.json", "--decisions", "pipe2", "-o", "o"], work / "pipe2"),
        "config.json": lambda path: (["ckpt_convert", "inspect", "hf"], work / "hf/config.json"),
        "weights": lambda path: (["ckpt_convert", "inspect", "w.safetensors"], work / "w.safetensors"),
    }
    migrator(work, "analyze", "p", "--report", "r", "-q")
    for name, case in tools.items():
        command, pipe = case(name)
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        done = run(tool(command[0]), *command[1:], cwd=work, seconds=60)
        checks.expect("a pipe, a device or a socket" in done.stderr + done.stdout, f"{name}: {done.returncode} {done.stderr}{done.stdout}")
        pipe.unlink()


@check
def overlapping_output(checks, work):
    make_tiny(checks, "qwen3", work / "hf", "--layers", "1")
    (work / "link").symlink_to("hf")
    before = tree(work)
    for out in ("hf/o", "./hf/o", "link/o", "hf/../hf/o", str(work / "hf/o")):
        done = run(tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", out, cwd=work)
        checks.equal(done.returncode, 2, f"{out}: {done.stderr}")
        checks.expect(tree(work) == before, f"{out}: something was written")


@check
def nothing_is_left_of_a_failed_report(checks, work):
    project(work)
    (work / "r").mkdir()
    (work / "r/report.html").mkdir()
    before = tree(work)
    done = migrator(work, "analyze", "p", "--report", "r")
    checks.equal(done.returncode, 6, done.stderr)
    checks.expect(tree(work) == before, "something was left")
    done = run("bash", "-c", f"ulimit -f 4; exec {tool('migrator')} analyze p --report new/deep", cwd=work)
    checks.equal(done.returncode, 6, f"a file that may not grow: {done.stderr}")
    checks.expect(tree(work) == before, "something was left")


@check
def full_output(checks, work):
    project(work)
    make_tiny(checks, "qwen3", work / "hf", "--layers", "1")
    for command in (f"{tool('migrator')} analyze p", f"{tool('ckpt_convert')} inspect hf", f"{tool('ckpt_convert')} inspect hf --json"):
        done = run("bash", "-c", f"{command} > /dev/full", cwd=work)
        checks.equal(done.returncode, 6, f"{command}: {done.stderr}")
        done = run("bash", "-c", f"set -o pipefail; {command} | true; exit ${{PIPESTATUS[0]}}", cwd=work)
        checks.expect(done.returncode in (0, 6) and "Aborted" not in done.stderr, f"{command}, nobody reads: {done.returncode} {done.stderr}")


def main():
    checks = Checks()
    for name, function in CHECKS.items():
        if len(sys.argv) > 1 and name != sys.argv[1]:
            continue
        with temporary_directory() as work:
            function(checks, Path(work).resolve())
    checks.finish()


if __name__ == "__main__":
    main()
