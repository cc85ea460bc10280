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
# Of builds in which everything takes long, where one of each form is enough.
IS_SHARE = "PROPERTY_SHARE" in os.environ


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


def packages_without_an_environment(checks, work):
    """Installed packages that no environment holds may be what the project runs with; of an environment, only the notes speak."""
    files = {"train.py": "import torch\n", "site-packages/net/ops.py": CODE, "kit/dist-packages/one.py": CODE, "empty/site-packages/notes.txt": "a\n",
             "env/pyvenv.cfg": "", "env/lib/python3.11/site-packages/net/ops.py": CODE, ".venv/lib/site-packages/net/ops.py": CODE}
    project(work / "p", files, "", tracked=False)
    have, report = copied(checks, work / "p")
    checks.equal(sorted(have), [".gitignore", "train.py"], "the copy")
    checks.equal(rules_of(report), [("kit/dist-packages", "file.left_out"), ("site-packages", "file.left_out")], "findings")
    checks.equal(report["summary"]["verdict"], "review", "the verdict")
    have, report = copied(checks, work / "p", "--exclude", "site-packages/", "--include", "kit/dist-packages/", "--include", "*.py")
    checks.equal((sorted(have), rules_of(report)), ([".gitignore", "kit/dist-packages/one.py", "train.py"], []), "with --include and --exclude")
    checks.expect(".npu()" in (work / "p_out/kit/dist-packages/one.py").read_text(), "what --include names is migrated")
    checks.equal((report["include"], report["exclude"]), (["kit/dist-packages/", "*.py"], ["site-packages/"]), "the report names the patterns")


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


# What is ignored, of each kind that code may open. The last is a data set by its size.
IGNORED = {"data/vocab.txt": "a\n", "data/sub/deep.txt": "b\n", "pkg/data/names.txt": "c\n", "out/x.txt": "d\n", "out/y.txt": "e\n", "big/a.bin": ""}
VOCAB, DATA, PACKAGED, NOTHING = ["data/vocab.txt"], ["data/sub/deep.txt", "data/vocab.txt"], ["pkg/data/names.txt"], []

# Code, where it stands, and what of IGNORED is in the copy.
OPENED = [
    ("import os\nopen(os.path.join(os.path.dirname(__file__), 'data', 'vocab.txt'))\n", "train.py", VOCAB),
    ("from os import path as p\nROOT = p.dirname(p.dirname(p.abspath(__file__)))\nopen(p.join(ROOT, 'data', 'vocab.txt'))\n", "tools/a/train.py", NOTHING),
    ("from os import path as p\nROOT = p.dirname(p.dirname(p.abspath(__file__)))\nopen(p.join(ROOT, 'data', 'vocab.txt'))\n", "tools/train.py", VOCAB),
    ("import os\nload(os.path.join(os.path.dirname(__file__), 'data'))\n", "train.py", DATA),
    ("import os\nHERE = os.path.join(os.path.dirname(__file__), 'data')\nopen(os.path.join(HERE, 'vocab.txt'))\n", "train.py", VOCAB),
    ("import os\nHERE = os.path.join(os.path.dirname(__file__), 'data')\ndef get(name):\n    return load(os.path.join(HERE, name))\n", "train.py", DATA),
    ("import os\nopen(os.path.join(os.getcwd(), 'data', 'vocab.txt'))\n", "train.py", VOCAB),
    ("from pathlib import Path\n(Path(__file__).resolve().parent / 'data' / 'vocab.txt').read_text()\n", "train.py", VOCAB),
    ("from pathlib import Path\nROOT = Path(__file__).resolve().parents[2]\nload(ROOT / 'data' / 'vocab.txt')\n", "a/b/train.py", VOCAB),
    ("import pathlib\nload(pathlib.Path('data').joinpath('sub', 'deep.txt'))\n", "train.py", ["data/sub/deep.txt"]),
    ("from pathlib import Path\nload(Path('data', 'x').with_name('vocab.txt'))\n", "train.py", VOCAB),
    ("from pathlib import Path\nlist(Path('data').glob('**/*.txt'))\n", "train.py", DATA),
    ("from pathlib import Path\nlist((Path.cwd() / 'data').iterdir())\n", "train.py", DATA),
    ("ROOT = 'data'\nopen(f'{ROOT}/vocab.txt')\n", "train.py", VOCAB),
    ("class C:\n    def __init__(self):\n        self.root = 'data'\n    def get(self):\n        return open(f'{self.root}/vocab.txt')\n", "train.py", VOCAB),
    ("def load(split):\n    return open(f'data/{split}.txt')\n", "train.py", DATA),
    ("open('data' + '/' + 'vocab.txt')\n", "train.py", VOCAB),
    ("open('%s/%s.txt' % ('data', 'vocab'))\n", "train.py", VOCAB),
    ("open('{}/vocab.txt'.format('data'))\n", "train.py", VOCAB),
    ("import glob\nglob.glob('data/*.txt')\n", "train.py", DATA),
    ("from glob import iglob\nPATTERN = 'data/s*/*.txt'\nlist(iglob(PATTERN))\n", "train.py", DATA),
    ("import os\nos.listdir('data')\n", "train.py", DATA),
    ("import os\nos.listdir('data/sub')\n", "train.py", ["data/sub/deep.txt"]),
    ("import os\nfor root, _, names in os.walk('./data/'):\n    print(root, names)\n", "train.py", DATA),
    ("from importlib import resources\nresources.files('pkg').joinpath('data/names.txt').read_text()\n", "train.py", PACKAGED),
    ("from importlib.resources import files\nimport pkg.data\n(files(pkg.data) / 'names.txt').read_text()\n", "train.py", PACKAGED),
    ("import importlib.resources\nimportlib.resources.read_text('pkg.data', 'names.txt')\n", "train.py", PACKAGED),
    ("import pkgutil\npkgutil.get_data(__package__, 'names.txt')\npkgutil.get_data('pkg', 'data/names.txt')\n", "train.py", PACKAGED),
    ("import pkg_resources\npkg_resources.resource_filename('pkg', 'data/names.txt')\n", "train.py", PACKAGED),
    # The beginning is not known.
    ("import os\ndef load(root):\n    return open(os.path.join(root, 'data', 'vocab.txt'))\n", "train.py", VOCAB),
    ("import os\nfrom config import ROOT\nopen(os.path.join(ROOT, 'vocab.txt'))\n", "train.py", VOCAB),
    ("import os\nopen(os.environ['DATA'] + '/vocab.txt')\n", "train.py", VOCAB),
    ("cat $PWD/data/vocab.txt\n", "run.sh", VOCAB),
    ("python train.py --data \"$PWD/data\"\n", "run.sh", DATA),
    ("python train.py --data $(dirname \"$0\")/data\n", "run.sh", DATA),
    ("ROOT=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\" && pwd)\nDIR=${ROOT}/data\npython train.py --data=${DIR}/vocab.txt\n", "scripts/run.sh", VOCAB),
    ("cp -r \"${DIR:-data}/sub\" /tmp\n", "run.sh", ["data/sub/deep.txt"]),
    ("vocab: ${root}/data/vocab.txt\n", "conf.yaml", VOCAB),
    ("all:\n\tcat $(ROOT)/data/vocab.txt\n", "Makefile", VOCAB),
    (json.dumps({"cells": [{"cell_type": "code", "source": ["from pathlib import Path\n", "ROOT = Path('data')\n", "open(ROOT / 'vocab.txt')"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
     "train.ipynb", VOCAB),
    ("import os, sys\nif sys.argv[1:]:\n    ROOT = '/mnt'\nelse:\n    ROOT = 'data'\nopen(os.path.join(ROOT, 'vocab.txt'))\n", "train.py", VOCAB),
    ("import numpy as np\nwhere = 'data' + '/sub'\nnp.load(file=where + '/deep.txt')\n", "train.py", ["data/sub/deep.txt"]),
    ("python train.py data.path=${WHERE}/data/vocab.txt\n", "run.sh", VOCAB),
    # Not of the project, not read, or no path.
    ("import os\nopen(os.path.join('/', 'data', 'vocab.txt'))\nopen('/data/vocab.txt')\n", "train.py", NOTHING),
    ("from pathlib import Path\nload(Path.home() / 'data' / 'vocab.txt')\nload(Path('~/data').expanduser())\n", "train.py", NOTHING),
    ("BASE = 'https://host/data'\nget(f'{BASE}/vocab.txt')\nget('https://host/data/vocab.txt')\n", "train.py", NOTHING),
    ("data = 'data'\nx = data + ' and vocab'\nprint('the data', data, 1 / len(data))\n", "train.py", NOTHING),
    ("import os\nopen('out/x.txt', 'w')\nopen(os.path.join('out', 'y.txt'), mode='ab')\n", "train.py", NOTHING),
    ("import os\nOUT = os.path.join(os.path.dirname(__file__), 'out')\nos.makedirs(OUT, exist_ok=True)\nsave(os.path.join(OUT, 'x.txt'))\n", "train.py", NOTHING),
    ("from pathlib import Path\nwhere = Path(__file__).parent / 'out'\nwhere.mkdir()\n(where / 'x.txt').write_text('')\n", "train.py", NOTHING),
    ("import os\nargs.output_dir = os.path.join('out', 'x')\nrun(log_dir=f'out/{name}')\n", "train.py", NOTHING),
    ("mkdir -p $PWD/out\npython train.py --output_dir $PWD/out --log-dir=$PWD/out 2>&1 | tee $PWD/out/x.txt\n", "run.sh", NOTHING),
    ("cat /data/vocab.txt $HOME/data/vocab.txt ../data/vocab.txt\n", "run.sh", NOTHING),
]


def however_a_path_is_written(checks, work):
    for number, (text, where, want) in enumerate(OPENED[::11] if IS_SHARE else OPENED):
        root = work / str(number) / "p"
        project(root, IGNORED | {where: text}, "/data/\n/pkg/data/\n/out/\n/big/\n", tracked=False)
        have, report = copied(checks, root)
        label = f"{where}: {text}"
        checks.equal(sorted(have), sorted([".gitignore", where, *want]), label)
        checks.equal((rules_of(report), report["summary"]["verdict"]), ([], "nothing_found"), label)
        for note in report["notes"]:
            checks.expect(not want or not note.startswith("Neither analysed nor copied") or want[0].split("/data")[0] not in note.split(": ")[1].split(", "), f"{label}: {note}")


def links_that_are_opened(checks, work):
    """A link is copied as a link, whatever it leads to; a module that is imported brings its directory, however large."""
    project(work / "p", {"train.py": "import os\nopen(os.path.join('data', 'vocab.txt'))\nos.listdir('data/coco')\nos.listdir('lib')\nimport lib.net\n", "lib/net.py": "x = 1\n", "data/other.txt": "a\n"},
            "data/\nlib/\n", tracked=False)
    for name, target in (("vocab.txt", "/nowhere/vocab.txt"), ("coco", "/nowhere/coco")):
        (work / "p/data" / name).symlink_to(target)
    (work / "p/lib/weights.bin").touch()
    os.truncate(work / "p/lib/weights.bin", (64 << 20) + 1)
    have, report = copied(checks, work / "p")
    checks.equal(sorted(have), [".gitignore", "data/coco", "data/vocab.txt", "lib/net.py", "lib/weights.bin", "train.py"], "with links")
    checks.equal([os.readlink(work / "p_out/data" / name) for name in ("coco", "vocab.txt")], ["/nowhere/coco", "/nowhere/vocab.txt"], "where they lead")
    checks.equal((rules_of(report), report["summary"]["verdict"]), ([], "nothing_found"), "nothing is missing")


def a_data_set_that_is_opened(checks, work):
    for number, (code, size, count) in enumerate([("os.listdir('big')", (64 << 20) + 1, 2), ("glob.glob(os.path.join('big', '*.bin'))", 0, 1001)]):
        root = work / str(number) / "p"
        project(root, {"train.py": "import glob, os\nopen('big/0.bin')\n" + code}, "big/\n", tracked=False)
        (root / "big").mkdir()
        for name in range(count):
            (root / f"big/{name}.bin").touch()
            os.truncate(root / f"big/{name}.bin", size if name else 0)
        have, report = copied(checks, root)
        checks.equal(sorted(have), [".gitignore", "big/0.bin", "train.py"], code)
        checks.equal((rules_of(report), report["summary"]["verdict"]), ([("big", "file.left_out")], "review"), code)
        checks.expect("Not copied, but for what files of the project open: big." in report["notes"], report["notes"])
        have, report = copied(checks, root, "--exclude", "big/")
        checks.equal((sorted(have), rules_of(report)), ([".gitignore", "train.py"], []), f"{code}, with --exclude")


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
    for number in range(4 if IS_SHARE else 20):
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


BY_HAND = (tracked_and_ignored, untracked_and_ignored, packages_without_an_environment, below_the_root, worktrees_and_submodules, sparse, conflict, without_repository, however_a_path_is_written, links_that_are_opened, a_data_set_that_is_opened, damaged)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--trees", type=int, default=len(FORMS) if IS_SHARE else 2 * len(FORMS))
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
