"""What git tracks is in a copy, whatever .gitignore says: random trees, in every form of an index that git writes.

    tracked_files.py [--trees N] [--seed N]

Each tree has its files in directories that its .gitignore excludes; some of them are added all the same. A copy must have what `git ls-files`
lists and the disk has, and nothing else of these directories. The rest is by hand: worktrees, submodules, sparse and conflicting
indexes, damaged ones, and projects without a repository.
"""

import argparse
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, skip, temporary_directory, tool  # noqa: E402

CODE = "import torch\nx = torch.zeros(1).cuda()\n"
NAMES = ["a", "lib", "data", "models", "env", "build", "dist", "A b", "\u00e9", "x.y", "-m", "a" * 200, "vendor", ".github", ".vscode", "0"]
ENDS = [".py", ".sh", ".json", ".txt", ""]


def git(where, *words, check=True):
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always", *map(str, words)], cwd=where, capture_output=True, env=environment)
    assert not check or done.returncode == 0, (words, done.stderr)
    return done.stdout


def listed(where):
    """What git tracks and the disk has."""
    names = {os.fsdecode(name) for name in git(where, "ls-files", "-z").split(b"\0") if name}
    return {name for name in names if os.path.lexists(where / name) and (os.path.islink(where / name) or not (where / name).is_dir())}


def files_in(where):
    return {os.path.relpath(os.path.join(folder, name), where) for folder, folders, names in os.walk(where)
            for name in names + [one for one in folders if os.path.islink(os.path.join(folder, one))]}


def copied(checks, project, *options):
    """The files of a copy, and the report."""
    out = project.parent / (project.name + "_out")
    done = run(tool("migrator"), "migrate", project, "-o", out, "--no-config", "--no-record", "--report", project.parent / "r", "--format", "json", "--force", *options)
    if not checks.expect(done.returncode == 0, f"{project.name}: {done.returncode} {done.stderr}"):
        return set(), {"notes": [], "summary": {}, "files": []}
    return files_in(out), json.loads((project.parent / "r/report.json").read_text())


def rules_of(report):
    return sorted((file["path"], finding["rule"]) for file in report["files"] for finding in file["findings"] if finding["kind"] == "file")


# ---- forms of an index ----

def version_4(where):
    git(where, "update-index", "--index-version", "4")


def version_3(where):
    """An entry with more flags: it will be added."""
    (where / "lib").mkdir(exist_ok=True)
    (where / "lib/later.py").write_text(CODE)
    git(where, "add", "-f", "-N", "lib/later.py")


def split(where):
    git(where, "config", "core.splitIndex", "true")
    git(where, "config", "splitIndex.maxPercentChange", "100")
    git(where, "update-index", "--split-index")
    names = sorted(listed(where) - {".gitignore"})
    for name in names[:len(names) // 3]:
        git(where, "update-index", "--force-remove", "--", name)
    for name in names[len(names) // 3:len(names) // 2]:
        if not (where / name).is_symlink():
            (where / name).write_text("# changed\n" + CODE)
            git(where, "add", "-f", "--", name)
    (where / "later").mkdir()
    (where / "later/new.py").write_text(CODE)
    git(where, "add", "-f", "later/new.py")
    assert b"link" in (where / ".git/index").read_bytes()


def split_version_4(where):
    version_4(where)
    split(where)


def without_sum(where):
    """As index.skipHash writes it."""
    index = where / ".git/index"
    size = 32 if b"sha256" in (where / ".git/config").read_bytes() else 20
    index.write_bytes(index.read_bytes()[:-size] + bytes(size))


def flagged(where):
    names = sorted(listed(where) - {".gitignore", "train.py"})
    for name in names[:3]:
        git(where, "update-index", "--skip-worktree", "--", name)
    for name in names[3:6]:
        git(where, "update-index", "--assume-unchanged", "--", name)
        (where / name).unlink()


FORMS = {"version 2": None, "version 3": version_3, "version 4": version_4, "split": split, "split, version 4": split_version_4, "no checksum": without_sum,
         "flags": flagged}


def make_tree(where, chance):
    (where / ".gitignore").write_text("*/\n*.json\n")
    (where / "train.py").write_text("import torch\n")
    git(where, "add", "train.py", ".gitignore")
    for _ in range(chance.randrange(1, 60)):
        folder = where / os.path.join(*chance.choices(NAMES, k=chance.randrange(1, 5)))
        path = folder / (chance.choice(NAMES)[:40] + chance.choice(ENDS))
        if os.path.lexists(path) or any(os.path.lexists(one) and (one.is_symlink() or not one.is_dir()) for one in [folder, *folder.parents]):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        if chance.random() < 0.1:
            path.symlink_to("nowhere")
        else:
            path.write_text(CODE if path.suffix == ".py" else "x\n")
        if chance.random() < 0.6:
            git(where, "add", "-f", "--", path.relative_to(where))
    if chance.random() < 0.3:
        name = os.fsencode(str(where / "lib")) + b"/\xff\xfe.py"
        (where / "lib").mkdir(exist_ok=True)
        Path(os.fsdecode(name)).write_text(CODE)
        git(where, "add", "-f", "lib")


def random_trees(checks, work, trees, seed):
    for number in range(trees):
        chance = random.Random(seed * 1000 + number)
        form, change = list(FORMS.items())[number % len(FORMS)]
        hash_name = "sha256" if number // len(FORMS) % 2 == 1 else "sha1"
        where = work / str(number) / "p"
        where.mkdir(parents=True)
        git(where, "init", "-q", f"--object-format={hash_name}")
        make_tree(where, chance)
        if change:
            change(where)
        want = listed(where)
        have, report = copied(checks, where)
        checks.equal(sorted(have), sorted(want | {name for name in files_in(where) if "/" not in name}), f"tree {number}, {form}, {hash_name}")
        checks.expect(not any("What git tracks" in note for note in report["notes"]), f"tree {number}, {form}, {hash_name}: {report['notes']}")


# ---- by hand ----

def project(where, files, ignore="lib/\ndata/\n", tracked=True):
    for name, text in ({".gitignore": ignore} | files).items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    if tracked:
        git(where, "init", "-q")
        git(where, "add", "-f", ".")
        git(where, "commit", "-q", "-m", "all")


USES = "from lib.models import net\nfrom data.dataset import VALUES\nprint(net(), VALUES)\n"
PARTS = {"lib/models.py": "import torch\ndef net():\n    return torch.nn.Linear(2, 2).cuda()\n", "lib/names.txt": "a\n", "data/dataset.py": "VALUES = [1]\n", "train.py": USES}


def tracked_and_ignored(checks, work):
    project(work / "p", PARTS | {"conf/ds.json": '{"a": 1}\n', ".vscode/settings.json": "{}\n"}, "lib/\ndata/\n*.json\n.vscode\n")
    have, report = copied(checks, work / "p")
    checks.equal(sorted(have), [".gitignore", ".vscode/settings.json", "conf/ds.json", "data/dataset.py", "lib/models.py", "lib/names.txt", "train.py"], "the copy")
    checks.expect(".npu()" in (work / "p_out/lib/models.py").read_text(), "a tracked file is migrated")
    checks.equal(report["summary"]["verdict"], "ready", "the verdict")
    checks.equal(report["summary"]["files_analysed"], 5, "files analysed")
    done = run(sys.executable, "-c", "import sys; sys.path.insert(0, '.'); from data.dataset import VALUES; print(VALUES)", cwd=work / "p_out")
    checks.equal(done.stdout, "[1]\n", done.stderr)


def untracked_and_ignored(checks, work):
    project(work / "p", {"train.py": "import torch\n"}, "runs/\n")
    (work / "p/runs").mkdir()
    (work / "p/runs/old.py").write_text(CODE)
    have, report = copied(checks, work / "p")
    checks.equal(sorted(have), [".gitignore", "train.py"], "the copy")
    checks.equal(rules_of(report), [("runs", "file.left_out")], "findings")
    checks.equal(report["summary"]["verdict"], "review", "the verdict")
    have, report = copied(checks, work / "p", "--exclude", "runs/")
    checks.equal((sorted(have), rules_of(report)), ([".gitignore", "train.py"], []), "with --exclude")
    have, report = copied(checks, work / "p", "--include", "runs/")
    checks.equal((sorted(have), rules_of(report)), ([".gitignore", "runs/old.py", "train.py"], []), "with --include")
    checks.expect(".npu()" in (work / "p_out/runs/old.py").read_text(), "what --include names is migrated")
    for words in (["analyze", "p", "--include", "runs/", "--report", "a"], ["apply", "a", "-o", "applied"],
                  ["migrate", "p", "--include", "runs/", "-o", "once", "--record", "record"], ["reapply", "record", "--project", "p", "-o", "again"]):
        done = run(tool("migrator"), *words, cwd=work)
        checks.equal(done.returncode, 0, f"{words}: {done.stderr}")
    checks.equal(json.loads((work / "a/report.json").read_text())["include"], ["runs/"], "the report says what --include was")
    for copy in ("applied", "again"):
        checks.equal({name: (work / copy / name).read_text() for name in files_in(work / copy)},
                     {name: (work / "p_out" / name).read_text() for name in have}, f"{copy}: as migrate copies")
    report["include"] = ["*"] * 1001
    (work / "a/report.json").write_text(json.dumps(report))
    done = run(tool("migrator"), "apply", work / "a", "-o", work / "many")
    checks.expect(done.returncode == 4 and "include" in done.stderr, f"a report with too many patterns: {done.returncode} {done.stderr}")


def below_the_root(checks, work):
    project(work / "r", {"sub/p/" + name: text for name, text in PARTS.items()})
    have, _ = copied(checks, work / "r/sub/p")
    checks.equal(sorted(have), sorted(PARTS), "a folder of a repository")


def worktrees_and_submodules(checks, work):
    project(work / "one", PARTS)
    git(work / "one", "worktree", "add", "-q", "../tree")
    have, _ = copied(checks, work / "tree")
    checks.equal(sorted(have), sorted([".gitignore", *PARTS]), "a worktree")
    project(work / "all", {"main.py": "import torch\n"}, "third/\nlib/\n")
    git(work / "all", "submodule", "add", "-q", "-f", work / "one", "third/one")
    have, _ = copied(checks, work / "all")
    checks.equal(sorted(have), sorted([".gitignore", ".gitmodules", "main.py", *(f"third/one/{name}" for name in [".gitignore", *PARTS])]), "a submodule in an ignored folder")
    (work / "many").mkdir()
    (work / "many/main.py").write_text("import torch\n")
    for name in ("a", "b"):
        git(work / "many", "clone", "-q", work / "one", name)
    have, _ = copied(checks, work / "many")
    checks.equal(sorted(have), sorted(["main.py", *(f"{top}/{name}" for top in "ab" for name in [".gitignore", *PARTS])]), "a folder of repositories")


def sparse(checks, work):
    project(work / "p", PARTS | {"lib/sub/deep.py": CODE, "other/x.py": CODE})
    git(work / "p", "sparse-checkout", "init", "--cone", "--sparse-index")
    git(work / "p", "sparse-checkout", "set", "data")
    want = listed(work / "p")
    checks.expect(b"sdir" in (work / "p/.git/index").read_bytes(), "the index is sparse")
    have, report = copied(checks, work / "p")
    checks.equal(sorted(have), sorted(want), "a sparse checkout")
    checks.expect(not any("What git tracks" in note for note in report["notes"]), "the sparse index is read")


def conflict(checks, work):
    project(work / "p", PARTS)
    git(work / "p", "checkout", "-q", "-b", "other")
    (work / "p/lib/models.py").write_text("a = 1\n")
    git(work / "p", "commit", "-q", "-a", "-m", "1")
    git(work / "p", "checkout", "-q", "-")
    (work / "p/lib/models.py").write_text("b = 1\n")
    git(work / "p", "commit", "-q", "-a", "-m", "2")
    git(work / "p", "merge", "other", check=False)
    checks.expect(len(git(work / "p", "ls-files", "-u").splitlines()) == 3, "there is a conflict")
    have, _ = copied(checks, work / "p")
    checks.equal(sorted(have), sorted([".gitignore", *PARTS]), "with a conflict")


def without_repository(checks, work):
    files = PARTS | {"train.py": USES + "open('assets/words.txt')\n", "assets/words.txt": "a\n", "assets/big.txt": "b\n",
                     "run.sh": "python tools/make.py\n", "tools/make.py": "from .more import x\n", "tools/more.py": CODE,
                     "vendor/ops.py": CODE, "use.py": "from vendor import ops\nfrom api_pb2 import X\n", "api_pb2.py": "X = 1\n", "junk/old.py": CODE}
    project(work / "p", files, "lib/\ndata/\nassets/\ntools/\njunk/\n", tracked=False)
    have, report = copied(checks, work / "p")
    checks.equal(sorted(set(files) - have), ["assets/big.txt", "junk/old.py"], "what is left out")
    for name in ("lib/models.py", "tools/more.py", "vendor/ops.py"):
        checks.expect("npu" in (work / "p_out" / name).read_text(), f"{name} is migrated")
    checks.equal(rules_of(report), [("junk", "file.left_out")], "findings")
    checks.expect("Part of the project, although a .gitignore excludes it, as files of the project import or open it: assets/words.txt, data, lib, tools." in report["notes"], report["notes"])
    checks.expect("Analysed, although vendored or generated, as files of the project import it: api_pb2.py, vendor/ops.py." in report["notes"], report["notes"])
    done = run(tool("migrator"), "migrate", work / "p", "--in-place", "--json", "--no-record", "-q")
    checks.expect("npu" in (work / "p/lib/models.py").read_text(), "in place")
    checks.equal(json.loads(done.stdout)["summary"]["to_review"] > 0, True, "in place: the verdict counts what is left out")


def damaged(checks, work):
    """Damage of every kind: a note, and what .gitignore says; never a crash."""
    project(work / "p", PARTS | {"train.py": "import torch\n"})
    index = work / "p/.git/index"
    good = index.read_bytes()
    content = good[:-20]
    ends = content.index(b"lib/models.py")

    def signed(data):
        return data + hashlib.sha1(data).digest()
    cases = {
        "signature": signed(b"DIRK" + content[4:]), "version": signed(content[:4] + struct.pack(">I", 5) + content[8:]), "cut": good[:-30], "checksum": content + b"x" * 20,
        "empty": b"", "mandatory": signed(content + b"abcd" + struct.pack(">I", 0)), "dots": signed(content.replace(b"lib/models.py", b"../models.py!")),
        "absolute": signed(content.replace(b"lib/models.py", b"/ib/models.py")), "git": signed(content.replace(b"lib/models.py", b".git/x/y/z.py")),
        "order": signed(content.replace(b"data/dataset.py", b"zata/dataset.py")), "count": signed(content[:8] + struct.pack(">I", 2**32 - 1) + content[12:]),
        "extension": signed(content + b"ABCD" + struct.pack(">I", 2**31)), "link": signed(content + b"link" + struct.pack(">I", 20) + b"y" * 20),
        "mode": signed(content[:ends - 62 + 24] + bytes(4) + content[ends - 62 + 28:]),
    }
    chance = random.Random(3)
    for number in range(20):
        at = chance.randrange(12, len(content))
        cases[f"byte {number}"] = signed(content[:at] + bytes([chance.randrange(256)]) + content[at + 1:])
    for name, data in cases.items():
        index.write_bytes(data)
        have, report = copied(checks, work / "p")
        noted = any(note.startswith("What git tracks is not known") for note in report["notes"])
        checks.expect(noted or name.startswith("byte"), f"{name}: {report['notes']}")
        if noted:
            checks.equal((sorted(have), report["summary"]["verdict"]), ([".gitignore", "train.py"], "review"), name)
    index.unlink()
    os.mkfifo(index)
    done = run(tool("migrator"), "analyze", work / "p", "--lang", "zh")
    checks.expect(done.returncode == 0 and "git" in done.stdout and "What git" not in done.stdout, f"a pipe: {done.stdout}{done.stderr}")
    index.unlink()
    index.symlink_to("/dev/zero")
    checks.equal(run(tool("migrator"), "analyze", work / "p").returncode, 0, "a device")
    (work / "q").mkdir()
    (work / "q/a.py").write_text(CODE)
    for text in ("gitdir: /dev", "gitdir: ../../..", "gitdir: ", "x" * 3_000_000, "gitdir: /proc/self"):
        (work / "q/.git").write_text(text)
        checks.equal(run(tool("migrator"), "analyze", work / "q").returncode, 0, f".git: {text[:20]}")


BY_HAND = (tracked_and_ignored, untracked_and_ignored, below_the_root, worktrees_and_submodules, sparse, conflict, without_repository, damaged)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # PROPERTY_SHARE: of builds in which they take long, where one tree of each form is enough.
    options.add_argument("--trees", type=int, default=len(FORMS) if "PROPERTY_SHARE" in os.environ else 2 * len(FORMS))
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    if run("git", "--version").returncode != 0:
        skip("git makes the indexes")
    checks = Checks()
    with temporary_directory() as name:
        random_trees(checks, Path(name), args.trees, args.seed)
        for one in BY_HAND:
            work = Path(name) / one.__name__
            work.mkdir()
            one(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
