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


HOUSE = ('{"schema": 1, "about": "x", "rules": [{"id": "house.r", "kind": "cuda_api", "severity": "warning", "message": "{name} becomes {to}.", '
         '"source": "s", "imports": [{"module": "evil_package", "after": "torch"}], "match": {"name": "torch.zeros"}, '
         '"fix": {"rename": "evil_package.zeros"}}]}')
NOBODY = 65534


def with_settings_above(place, settings, repository):
    """place/me/p is the project, place/pyproject.toml and place/rules lie above."""
    (place / "me/p").mkdir(parents=True)
    (place / "me/p/train.py").write_text(TRAIN)
    (place / "rules").mkdir()
    (place / "rules/house.json").write_text(HOUSE)
    (place / "pyproject.toml").write_text(f"[tool.migrator]\n{settings}\n")
    if repository:
        (place / ".git").mkdir()
    return place / "me"


def migrated_below(place, *options, path="p", env=None):
    """What is said when the project is migrated in place, in one line, and what becomes of it."""
    command = [tool("migrator"), "migrate", path, "--in-place", "--no-record", *options]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=patience(60), env={**os.environ, **(env or {})})
    return " ".join((done.stdout + done.stderr).split()), done.returncode, (place / "p/train.py").read_text()


@check
def settings_above_a_project(checks, work):
    """They count up to the root of a repository; rules write code, so they come from there only by --rules."""
    place = with_settings_above(work / "no repository", 'rules = "rules"\nexclude = ["*"]', False)
    said, code, text = migrated_below(place)
    checks.equal((code, text), (0, MIGRATED), f"no repository: {said}")
    checks.expect("The settings of ../pyproject.toml were not read: it lies above p, and no repository holds both. If they are to count, name the "
                  "file with --config ../pyproject.toml." in said, f"no repository: {said}")
    place = with_settings_above(work / "named", 'exclude = ["*"]', False)
    checks.equal(migrated_below(place, "--config", "../pyproject.toml")[1:], (0, TRAIN), "no repository, and --config")
    place = with_settings_above(work / "repository", 'style = "portable"\nrules = "rules"', True)
    said, code, text = migrated_below(place)
    checks.expect(code == 0 and "any_device" in text and "evil" not in text, f"a repository: {text}")
    checks.expect("Settings were read from ../pyproject.toml: style. A project does not choose rules: give it" in said, f"a repository: {said}")
    place = with_settings_above(work / "rules", 'rules = "rules"', True)
    checks.expect("evil_package.zeros" in migrated_below(place, "--rules", "../rules")[2], "--rules is the user's")
    # Nothing above the root of a repository counts, which is said.
    place = with_settings_above(work / "above", 'exclude = ["*"]', False)
    (place / "p/.git").mkdir()
    said, code, text = migrated_below(place)
    checks.equal((code, text), (0, MIGRATED), f"above a repository: {said}")
    checks.expect("The settings of ../pyproject.toml were not read: it lies above the repository of p. If they are to count, name the file with "
                  "--config ../pyproject.toml." in said, f"above a repository: {said}")
    # In what is analysed a project's rules are its own.
    place = with_settings_above(work / "inside", "x = 1", False)
    (place / "p/rules").mkdir()
    (place / "p/rules/house.json").write_text(HOUSE)
    (place / "p/pyproject.toml").write_text('[tool.migrator]\nrules = "rules"\n')
    checks.expect("evil_package.zeros" in migrated_below(place)[2], "rules in the project itself")
    # A file without our table is nobody's business; one that cannot be read is none.
    place = with_settings_above(work / "other", "", False)
    for content in ("[project]\nname = 'x'\n", "[[[ no TOML"):
        (place.parent / "pyproject.toml").write_text(content)
        said = migrated_below(place)[0]
        checks.expect("pyproject" not in said, f"{content!r}: {said}")
    (place.parent / "pyproject.toml").unlink()
    os.mkfifo(place.parent / "pyproject.toml")
    checks.equal(migrated_below(place)[1], 0, "a pipe above")


@check
def settings_of_another_user(checks, work):
    """git's rule of safe directories: file, directory, repository and its .git are the user's, root's, or of who called sudo."""
    if os.geteuid() != 0:
        print("settings_of_another_user: only root can give files to another user; not checked")
        return
    settings = 'exclude = ["*"]'
    for number, owned in enumerate(["pyproject.toml", ".git", ".", "link"]):
        place = with_settings_above(work / str(number), settings, True)
        if owned == "link":
            (place.parent / "pyproject.toml").rename(place.parent / "mine.toml")
            (place.parent / "pyproject.toml").symlink_to("mine.toml")
            os.lchown(place.parent / "pyproject.toml", NOBODY, NOBODY)
        else:
            os.chown(place.parent / owned, NOBODY, NOBODY)
        warning = ("migrator: warning: The settings of ../pyproject.toml were not read: the file, its directory or its repository belongs to another "
                   "user. If they are to count, name the file with --config ../pyproject.toml.")
        said, code, text = migrated_below(place, "-q")
        checks.equal((code, text), (0, MIGRATED), f"{owned}: {said}")
        checks.equal(said, warning, f"{owned}: -q")
        (place / "p/train.py").write_text(TRAIN)
        said, code, text = migrated_below(place, "-q", env={"SUDO_UID": str(NOBODY)})
        checks.equal((said, code, text), ("", 0, TRAIN), f"{owned}: of who called sudo")
        said, code, text = migrated_below(place, "-q", "--config", "../pyproject.toml", env={"SUDO_UID": "1"})
        checks.equal((said, code, text), ("", 0, TRAIN), f"{owned}: --config")
        report = migrator(place, "analyze", "p", "--json")
        checks.expect("belongs to another user" in report.stdout, f"{owned}: the report does not say it")
    # A file between the project and its repository's root, and one next to a single file.
    place = with_settings_above(work / "between", "style = 'portable'", True)
    (place / "pyproject.toml").write_text(f"[tool.migrator]\n{settings}\n")
    os.chown(place / "pyproject.toml", NOBODY, NOBODY)
    said, code, text = migrated_below(place, "-q")
    checks.expect((code, text) == (0, MIGRATED) and "The settings of pyproject.toml were not read" in said, f"between: {said}")
    place = with_settings_above(work / "file", settings, False)
    (place / "p/pyproject.toml").write_text(f"[tool.migrator]\n{settings}\n")
    os.chown(place / "p/pyproject.toml", NOBODY, NOBODY)
    said, code, text = migrated_below(place, "-q", path="p/train.py")
    checks.expect((code, text) == (0, MIGRATED) and "The settings of p/pyproject.toml were not read" in said, f"next to a file: {said}")
    # What is analysed may be anybody's, and its settings choose what to look for.
    os.chown(place / "p", NOBODY, NOBODY)
    (place / "p/train.py").write_text(TRAIN)
    checks.equal(migrated_below(place, "-q"), ("", 0, TRAIN), "the project's own")


# base_tests has 10,000 for the function that quotes; these are for the places that call it.
ODD_NAMES = ["a b; touch PWN", "$(touch PWN)`touch PWN`", "it's \"\\x41\\", "-two\nlines\x1b[2J\u202e!", "=训练 &"]


@check
def commands_to_copy(checks, work):
    """Whatever the directories are called, a shell that is given the printed command does what it says, and nothing else."""
    environment = {**os.environ, "PATH": f"{Path(tool('migrator')).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

    def copied(place, line):
        return subprocess.run(["bash", "-c", line], cwd=place, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=patience(60))

    def printed(text, label):
        lines = [line.strip()[len(label):].strip() for line in text.splitlines() if line.strip().startswith(label + " ")]
        return lines[-1] if lines else "false"

    for number, name in enumerate(ODD_NAMES):
        place = work / str(number)
        (place / name / "p").mkdir(parents=True)
        source = place / name / "p/train.py"
        source.write_text(TRAIN)
        here = "./" + name
        done = migrator(place, "migrate", f"{here}/p", "--in-place")
        undone = copied(place, printed(done.stdout, "Undo"))
        checks.equal((undone.returncode, source.read_text()), (0, TRAIN), f"{name!r}: undo of migrate: {done.stdout}{done.stderr}{undone.stderr}")
        done = migrator(place, "analyze", f"{here}/p", "--report", f"{here}/r")
        following = printed(done.stdout, "Next").replace(" -o OUT", " -o out --no-record")
        copied(place, following)
        checks.expect((place / "out/train.py").exists(), f"{name!r}: next: {following}")
        done = migrator(place, "apply", f"{here}/r", "--in-place")
        undone = copied(place, printed(done.stdout, "Undo"))
        checks.equal((undone.returncode, source.read_text()), (0, TRAIN), f"{name!r}: undo of apply: {done.stdout}{done.stderr}{undone.stderr}")
        command = json.loads((place / name / "r/report.json").read_text())["command_line"]
        checks.equal(copied(place, command).returncode, 0, f"{name!r}: the command line of the report: {command}")
        server = subprocess.Popen([tool("migrator"), "serve", f"{here}/r"], cwd=place, stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        server.send_signal(2)
        (place / name / "r/decisions.json").write_text('{"schema": "migrator-decisions/1", "decisions": []}')
        following = printed(server.communicate(timeout=patience(60))[0], "Next").replace(" -o OUT", " -o served")
        applied = copied(place, following)
        checks.equal((applied.returncode, (place / "served/train.py").exists()), (0, True), f"{name!r}: next of serve: {following}: {applied.stderr}")
        # A run that was stopped says how to go back.
        done = migrator(place, "migrate", f"{here}/p", "--in-place", "-q")
        (place / name / "p/.migrator.run").write_text("migration-toolkit: a run is writing here, or has died. The next run cleans up.\nrecord "
                                                     + f"{place}/{name}/p/.migrator/applied".replace("\n", "\0") + "\ntoken 0123456789abcdef\n")
        refused = migrator(place, "migrate", f"{here}/p", "--in-place", "-q")
        way_back = refused.stderr.partition("put the files back with `")[2].rpartition("`")[0]
        undone = copied(place, way_back)
        checks.equal((undone.returncode, source.read_text()), (0, TRAIN), f"{name!r}: {refused.stderr} {way_back} {undone.stderr}")
        checks.equal(sorted(place.rglob("PWN")), [], f"{name!r}: a command was run")


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


@check
def words_that_are_not_known(checks, work):
    """What a report or a record says is looked up before anything is done with it: exit code 4, and one line with file and key."""
    project(work)
    migrator(work, "analyze", "p", "--report", "r", "-q")
    migrator(work, "migrate", "p", "--in-place", "-q")
    report = json.loads((work / "r/report.json").read_text())
    applied = json.loads((work / "p/.migrator/applied/applied.json").read_text())
    for encoding in ("evil-8", "utf-16", "UTF-8", "utf-7", "hex", "", "../gbk", "utf-8\n"):
        for saved, place, commands in ((report, work / "r/report.json", (["apply", "r", "--in-place"], ["apply", "r", "-o", "o"], ["serve", "r"])),
                                       (applied, work / "p/.migrator/applied/applied.json",
                                        (["undo", "p"], ["reapply", "p", "--in-place"], ["reapply", "p", "-o", "o"]))):
            changed = copy.deepcopy(saved)
            changed["files"][0]["original"]["encoding"] = encoding
            place.write_text(json.dumps(changed, indent=2))
            before = tree(work)
            for command in commands:
                done = run(tool("migrator"), *command, cwd=work, seconds=20)
                checks.expect(done.returncode == 4 and place.name in done.stderr and '"original.encoding"' in done.stderr and done.stderr.count("\n") == 1,
                              f"{encoding!r} {command}: {done.returncode} {done.stderr!r}")
                checks.expect(tree(work) == before, f"{encoding!r} {command}: something was written")
    # An edit after the end of the kept original.
    for begin, end in ((10**6, 10**6), (0, 10**6), (10**6, 2**62)):
        changed = copy.deepcopy(applied)
        changed["files"][0]["edits"] = [{**changed["files"][0]["edits"][0], "begin_byte": begin, "end_byte": end}]
        (work / "p/.migrator/applied/applied.json").write_text(json.dumps(changed))
        (work / "p/train.py").write_text(TRAIN + "# newer\n")
        done = migrator(work, "reapply", "p", "--in-place")
        checks.expect(done.returncode == 4 and "lies outside of the file" in done.stderr, f"{begin} to {end}: {done.returncode} {done.stderr}")


@check
def only_web_addresses_are_links(checks, work):
    """Sources of rules become addresses in a SARIF log, and a project chooses the address of its lines."""
    rules = json.loads(HOUSE)
    for number, (url, is_link) in enumerate((("https://example.org/x", True), ("http://example.org", True), ("javascript:alert(1)", False),
                                             ("data:text/html,x", False), ("file:///etc/passwd", False), ("//example.org", False))):
        place = work / str(number)
        place.mkdir()
        project(place, pyproject__toml=f"[tool.migrator]\nsource-url = '{url}'\n")
        (place / "rules").mkdir()
        rules["rules"][0]["source"] = "House"
        rules["sources"] = {"House": {"title": "x", "url": url, "version": "1", "read": "2026-11-23"}}
        (place / "rules/house.json").write_text(json.dumps(rules))
        done = migrator(place, "analyze", "p", "--rules", "rules", "--report", "r", "--format", "sarif,markdown,csv,github", "-q")
        checks.equal(done.returncode, 0, f"{url}: {done.stderr}")
        sarif = (place / "r/report.sarif").read_text()
        checks.equal(f'"helpUri": "{url}"' in sarif, is_link, f"{url}: the SARIF log")
        shown = "".join(path.read_text() for path in (place / "r").rglob("*") if path.is_file() and path.suffix != ".sarif") + done.stdout
        checks.expect(is_link or f"]({url}" not in shown, f"{url}: {shown}")


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
        checks.expect(done.returncode in (0, 141) and not done.stderr, f"{command}, nobody reads: {done.returncode} {done.stderr}")


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
