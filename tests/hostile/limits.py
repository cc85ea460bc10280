"""Gives both programs input that is deep, long or broken, and machines without memory or threads.

    limits.py [NAME...]

Each run ends by itself, with the documented exit code and one line, or with its result: no crash, no hang, and nothing
left in the place of the output. Limits of the system make a mistake fail instead of hang: the memory is that of a small
machine, and the processor's time is many times what is needed. Programs with sanitizers reserve address space without end,
need larger frames and many times the memory and time, so there only crashes, results and messages count.
"""

import json
import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from checks import Checks, make_tiny, skip, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402
from pickled import TENSOR, text, torch_file  # noqa: E402
from profile_bench import make as make_profiles  # noqa: E402
from profile_databases import MadeDatabase  # noqa: E402

USAGE, RULE_DATA, BAD_INPUT, NO_MEMORY = 2, 3, 4, 71  # docs/reference/exit-codes.md
SANITIZED = bool(os.environ.get("MIGRATION_SANITIZE"))
MEMORY = None if SANITIZED else 1 << 30
SECONDS = 1200 if SANITIZED else 60  # of the processor; none of these needs three on an ordinary machine, without sanitizers
TRAIN = "import torch\nprint(torch.cuda.current_device())\n"

# Runs a program and prints the most memory that it has had, in KiB.
PEAK = """
import os, subprocess, sys
_, status, usage = os.wait4(subprocess.Popen(sys.argv[1:]).pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""

CASES = []


def case(function):
    CASES.append(function)
    return function


def limited(*arguments, cwd, memory=MEMORY, threads=None, stack=None):
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if stack is not None:
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        if threads is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    return subprocess.run([str(one) for one in arguments], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", preexec_fn=limits, timeout=patience(900))


def ends(checks, done, code, *mentions):
    """The exit code, and one line that says why."""
    checks.equal(done.returncode, code, f"exit code, with {done.stderr[:300]!r}")
    if code != 0:
        checks.equal(done.stderr.count("\n"), 1, f"lines of {done.stderr[:300]!r}")
    for mention in mentions:
        checks.expect(mention in done.stderr, f"{mention!r} is not in {done.stderr[:300]!r}")


def project(work, **files):
    (work / "p").mkdir()
    for name, text in {"train.py": TRAIN, **files}.items():
        (work / "p" / name.replace("_py", ".py").replace("_toml", ".toml")).write_text(text)


# ---- depth ----

@case
def deep_settings(checks, work):
    """Keys, tables, arrays and inline tables that are too deep for a parser that recurses."""
    deep = 150_000
    texts = {"keys": "a." * deep + "b = 1\n", "tables": "[" + "a." * deep + "b]\n", "quoted": "'a'." * deep + "b = 1\n",
             "arrays": "a = " + "[" * deep + "\n", "inline": "a = " + "{a=" * deep + "\n", "many inline": ("{" + "a." * 60 + "b=") * 5000 + "\n",
             "lines": "a.\\\n" * deep}
    project(work)
    for name, text in texts.items():
        (work / "p/pyproject.toml").write_text(text)
        done = limited(tool("migrator"), "analyze", "p", "-q", cwd=work)
        ends(checks, done, 0)
        (work / "p/pyproject.toml").write_text("[tool.migrator]\nstyle = 'npu'\n" + text)
        done = limited(tool("migrator"), "analyze", "p", "-q", cwd=work)
        ends(checks, done, USAGE, "p/pyproject.toml:3", "--no-config")
    (work / "p/pyproject.toml").write_text("# a" + ".a" * 500 + "\n[tool.migrator]\nstyle = 'npu'  # " + "." * 500 + "\n[x]\ny = '" + "." * 500
                                           + "'\nz = '''\n" + "..\n" * 500 + "'''\nw = [" + "1.5, " * 500 + "]\n")
    ends(checks, limited(tool("migrator"), "analyze", "p", "-q", cwd=work), 0)


@case
def deep_patterns(checks, work):
    """Patterns of rules, whose trees are walked with recursion."""
    deep = 50_000
    project(work)
    (work / "rules").mkdir()
    for code in ("-" * deep + "$x", "(" * deep + "$x" + ")" * deep, "torch.f(" * deep + "$x" + ")" * deep, "$x" + ".f()" * deep,
                 "[" * deep + "$x" + "]" * deep, "$x" + " + $x" * deep, "$x" + "[0]" * deep, "lambda: " * deep + "$x",
                 "$x if $y else " * deep + "$z", "not " * deep + "$x", "$x ** " * deep + "$y"):
        rule = {"id": "house.p", "kind": "affinity", "severity": "info", "message": "{to} m", "source": "s",
                "imports": [{"module": "torch_npu", "after": "torch"}], "match": {"pattern": {"what": "w", "code": [code]}},
                "fix": {"write": "torch_npu.f($x)"}}
        (work / "rules/a.json").write_text(json.dumps({"schema": 1, "about": "x", "rules": [rule]}))
        done = limited(tool("migrator"), "analyze", "p", "--rules", "rules", "-q", cwd=work)
        ends(checks, done, RULE_DATA, "rules/a.json", "house.p")


@case
def deep_conditions(checks, work):
    """Expressions of mapping files."""
    deep = 200_000
    (work / "models").mkdir()
    for text in ("(" * deep + "layers" + ")" * deep, "-" * deep + "layers", "!" * deep + "layers", "layers" + " + layers" * deep):
        (work / "models/x.json").write_text(json.dumps({"schema": 1, "when": text, "values": {"a": text}}))
        done = limited(tool("ckpt_convert"), "models", "check", "models/x.json", cwd=work)
        ends(checks, done, RULE_DATA, "x.json")


DEEP = 200_000
STACK = (2048 if SANITIZED else 256) << 10  # bytes; a function that calls itself for each level needs fifty times as much
DEEP_FILES = {
    "t.py": ["(" * DEEP, "lambda: " * DEEP, "f'{" * DEEP, "x = " + "not " * DEEP + "y", "x: '" + "Optional[" * DEEP + "]" * DEEP + "'",
             "exec('" + "(" * DEEP + "')", "import os\nos.system('" + "$(" * DEEP + "')", "import " + "a." * DEEP + "b",
             "import torch\nx = torch.device(" + "str(" * DEEP + "'cuda'" + ")" * DEEP + ")", "# migrator: ignore[" * DEEP],
    "t.ipynb": ["[" * DEEP, '{"a":' * DEEP, '{"metadata":' + '{"a":' * DEEP + "1" + "}" * DEEP + ', "cells": []}'],
    "t.yaml": ["[" * DEEP, "{a: " * DEEP, "- " * DEEP + "CUDA_VISIBLE_DEVICES: 1", "? " * DEEP],
    "t.sh": ["$(" * DEEP, "`" * DEEP, "if true; then " * DEEP, "${a:-" * DEEP + "}" * DEEP, "python a.py \\\n" * DEEP],
    "t.cu": ["{" * DEEP, "f<<<" * DEEP, "template<" * DEEP, "TORCH_LIBRARY(" * DEEP, "TORCH_LIBRARY(a, m) { m.def(" * (DEEP // 10)],
    "t.json": ["[" * DEEP, '{"a":' * DEEP],
    "t.toml": ["a = " + "[" * DEEP, "a." * DEEP + "b = 1"],
    "t.cmake": ["if(" * DEEP, "${" * DEEP + "}" * DEEP],
    "Dockerfile": ["ONBUILD " * DEEP, "RUN a \\\n" * DEEP],
    "requirements.txt": ["-r requirements.txt\n" * DEEP, "a[" * DEEP, "a; " + "(" * DEEP],
    ".gitignore": ["**/" * DEEP + "a", "[" * DEEP, "[[:" * DEEP, "*a" * DEEP],
}


@case
def deep_files(checks, work):
    """Every kind of file, 200,000 levels deep, on a small stack."""
    project(work)
    for name, texts in DEEP_FILES.items():
        for number, text in enumerate(texts):
            (work / "p" / name).write_text(text)
            done = limited(tool("migrator"), "migrate", "p", "-o", "out", "--force", "-q", "-j", "1", "--affinity", "--no-config",
                           cwd=work, stack=STACK)
            checks.equal(done.returncode, 0, f"{name}, {number}: {done.stderr[:300]!r}")
        (work / "p" / name).unlink()


@case
def deep_blocks(checks, work):
    """More blocks in each other than the grammar's scanner has room for: it wrote behind its buffer."""
    project(work)
    for levels in (90, 510, 511, 640):
        text = TRAIN + "".join(" " * level + "if a:\n" for level in range(levels)) + " " * levels + "x.to('cuda')\n"
        (work / "p/deep.py").write_text(text)
        done = limited(tool("migrator"), "analyze", "p", "--json", "-q", cwd=work)
        if not checks.equal(done.returncode, 0, f"{levels} blocks: {done.stderr[:300]!r}"):
            continue
        files = {file["path"]: file for file in json.loads(done.stdout)["files"]}
        given_up = any(one["subject"] == "not parsed" for one in files["deep.py"]["findings"])
        checks.equal(given_up, levels > 510, f"{levels} blocks: given up")


@case
def deep_pickles(checks, work):
    """Values in each other, in a file of PyTorch, on a small stack."""
    values = {"lists": b"]" * DEEP + b"a" * (DEEP - 1), "tuples": b")" + b"\x85" * DEEP, "dicts": b"}K\x01" * DEEP + b"}" + b"s" * DEEP,
              "marks": b"(" * DEEP, "itself": b"]q\x00h\x00a"}
    for name, value in values.items():
        with zipfile.ZipFile(work / "x.pt", "w") as archive:
            archive.writestr("x/data.pkl", b"\x80\x02" + value + b".")
            archive.writestr("x/version", "3\n")
        done = limited(tool("ckpt_convert"), "inspect", "x.pt", cwd=work, stack=STACK)
        said = {"itself": "", "marks": "at STOP"}.get(name, "nested deeper than 64 levels")
        ends(checks, done, BAD_INPUT if said else 0, *([said] if said else []))


@case
def long_ways(checks, work):
    """Keys that lead to a tensor, right at the limit and beyond it."""
    for length in (1024, 1025):
        torch_file(work / "x.pt", b"\x80\x02}" + text("k" * (length - len("/0"))) + b"]" + TENSOR + b"as.")
        done = limited(tool("ckpt_convert"), "inspect", "x.pt", "--json", cwd=work)
        ends(checks, done, 0 if length == 1024 else BAD_INPUT, *([] if length == 1024 else ["more than 1024 bytes"]))


def profile_of(work, texts, **operators):
    (work / "x.db").unlink(missing_ok=True)
    base = MadeDatabase(work / "x.db")
    for one in texts:
        base.texts(one)
    base.operators(3, **operators)
    base.kernels(3)
    return base


@case
def long_texts(checks, work):
    """Texts and stacks of a database, right at the limit and beyond it."""
    for length in (4096, 4097):
        profile_of(work, [(100, "x" * length)], shapes=100).db.commit()
        done = limited(tool("migrator"), "compare", "x.db", "x.db", "-o", f"report{length}", "--format", "csv", cwd=work)
        ends(checks, done, 0)
        said = "".join(path.read_text() for path in (work / f"report{length}").glob("*.csv"))
        checks.equal((f"{'x' * 4096}" in said, f"... ({length} bytes, " in said), (length == 4096, length > 4096), f"a text of {length} bytes")
    for frames in (4, 1000):
        base = profile_of(work, [(100, "f" * 4000)], stack=7)
        base.add("PYTORCH_CALLCHAINS", *((7, 100, i) for i in range(frames)))
        base.db.commit()
        ends(checks, limited(tool("migrator"), "compare", "x.db", "x.db", cwd=work), 0)


@case
def computed_tables(checks, work):
    """Tables that say in a few bytes what takes many."""
    for columns, is_refused in (("value TEXT AS (printf('%.*c', 9, 'x') || id)", True), ("value TEXT AS (printf('%.*c', 9, 'x') || id) STORED", True),
                                (f"value TEXT DEFAULT '{'x' * 100}'", True), ("value TEXT DEFAULT 'x'", False)):
        base = profile_of(work, [])
        base.db.executescript(f"DROP TABLE STRING_IDS; CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, {columns}); INSERT INTO STRING_IDS (id) VALUES (0), (1), (2), (3);")
        base.db.commit()
        ends(checks, limited(tool("migrator"), "profile", "x.db", cwd=work), BAD_INPUT if is_refused else 0, *(["STRING_IDS", "computed"] if is_refused else []))
    base = profile_of(work, [], stack=7)
    base.db.executescript("DROP TABLE PYTORCH_CALLCHAINS; CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER AS (id + 1));")
    base.db.commit()
    done = limited(tool("migrator"), "compare", "x.db", "x.db", cwd=work)  # a warning for each side, which is not read to its end
    checks.equal((done.returncode, done.stderr.count("PYTORCH_CALLCHAINS")), (BAD_INPUT, 2), f"computed frames: {done.stderr[:300]!r}")


@case
def config_files(checks, work):
    """--config: the parser of options needs time and memory in the square of what it is given."""
    for text, said in (("[" + "a." * DEEP + "b]\nx=1\n", "larger than 65536 bytes"), ("[" + "a." * 20_000 + "b]\nx=1\n", "a section"),
                       ("[" * 60_000, "a section"), ("a=[1," * 10_000, "see ckpt_convert --help"), ("tp=2\n" * 10_000, "--tp")):
        (work / "options.cfg").write_text(text)
        done = limited(tool("ckpt_convert"), "--config", "options.cfg", "--load-dir", "in", "--save-dir", "out", cwd=work, stack=STACK)
        ends(checks, done, USAGE, said)


# ---- Python that the parser has trouble with ----

BROKEN = {
    "keywords": "if else while for in def class\n",
    "operators": "x = = 1 +* 2 ) ]\n",
    "open f-strings": "f'{x}",
    "joined lines": "\\\n",
    "open calls": "def f(:\n    x = (1,\n",
    "open brackets": "f(a, [b, {c: \n",
}


@case
def broken_python(checks, work):
    """What the parser's error recovery needs quadratic time for is a finding, and the file stays as it is."""
    project(work)
    given_up = 0
    for name, text in BROKEN.items():
        source = "import torch\ntorch.cuda.init()\n" + text * (400_000 // len(text))
        (work / "p/broken.py").write_text(source)
        done = limited(tool("migrator"), "migrate", "p", "-o", "out", "--force", "--json", "-q", cwd=work)
        checks.equal(done.returncode, 0, f"{name}: exit code, with {done.stderr[:300]!r}")
        if done.returncode != 0:
            continue
        files = {file["path"]: file for file in json.loads(done.stdout)["files"]}
        said = [one for one in files["broken.py"]["findings"] if one["subject"] == "not parsed"]
        checks.expect(all(one["severity"] == "error" and "by hand" in one["message"] for one in said), f"{name}: {said}")
        if said:
            given_up += 1
            checks.equal((work / "out/broken.py").read_text(), source, f"{name}: the file")
        checks.expect("torch.npu" in (work / "out/train.py").read_text(), f"{name}: the other file was not migrated")
    checks.expect(given_up >= 3, f"the parser gave up {given_up} times only; are the cases still hard?")


# ---- Python that is long or deep, and right ----

N = 40_000
HARD = {
    "assignments of one variable": TRAIN + "x = 'cuda'\n" * N + "y.to(x)\n",
    "assignments and uses": TRAIN + "x = 'cuda'\ny.to(x)\n" * (N // 4),
    "imported names": "from torch.cuda import (" + ", ".join(f"a{i}" for i in range(N)) + ")\n",
    "parentheses": TRAIN + "x = " + "(" * 200_000 + "torch.cuda.is_available()" + ")" * 200_000 + "\n",
    "conditionals": TRAIN + "d = " + "'cuda' if a else " * N + "'cpu'\ny.to(d)\n",
    "arguments": TRAIN + "f(" + "'cuda', " * N + ")\n",
    "functions": TRAIN + "".join(f"def f{i}(d='cuda'):\n    return f{i + 1}(d)\n" for i in range(N // 8)),
    "additions": TRAIN + "x = " + "'cuda' + " * N + "'a'\ny.to(x)\n",
    "adjacent strings": TRAIN + "x = " + "'cuda' " * N + "\ny.to(x)\n",
    "lambdas": TRAIN + "f = " + "lambda: " * N + "torch.cuda.init()\n",
    "attributes": TRAIN + "torch.cuda" + ".a" * N + "\n",
    "methods": TRAIN + "x" + ".cuda()" * N + "\n",
    "elif": TRAIN + "if a:\n x = 'cuda'\n" + "elif b:\n x = 'cuda:0'\n" * (N // 4) + "y.to(x)\n",
    "decorators": TRAIN + "@torch.cuda.amp.autocast()\n" * (N // 4) + "def f(): pass\n",
    "f-string": TRAIN + "x = f'" + "{a}cuda" * N + "'\n",
}


@case
def hard_python(checks, work):
    """Each file alone, in the styles that write most."""
    project(work)
    for name, text in HARD.items():
        (work / "p/train.py").write_text(text)
        for style in ("npu", "portable"):
            done = limited(tool("migrator"), "migrate", "p", "-o", "out", "--force", "--style", style, "-q", "-j", "1", cwd=work)
            checks.equal(done.returncode, 0, f"{name}, {style}: {done.stderr[:300]!r}")


@case
def many_findings(checks, work):
    """120,000 findings in one file, in every format, below 490 MiB."""
    project(work, train_py="import torch\n" + "x.cuda()\n" * 120_000)
    formats = "html,json,diff,markdown,csv,transplant,sarif,gitlab,junit"
    done = limited(sys.executable, "-c", PEAK, tool("migrator"), "analyze", "p", "--report", "report", "--format", formats, "-q",
                   cwd=work, memory=None)
    ends(checks, done, 0)
    peak = int(done.stdout or 0)
    checks.expect(0 < peak and (SANITIZED or peak < 490 << 10), f"the peak of the memory is {peak} KiB")
    checks.expect((work / "report/report.json").stat().st_size > 120_000 * 100, "the report is too small for its findings")


@case
def long_profiles(checks, work):
    """All sheets of two traces: an eighth of their size in memory, where each event as a record of its own took two fifths."""
    megabytes = 25
    for name, size in (("small", 0.1), ("large", megabytes)):
        make_profiles(work / name, size)
    peaks = []
    for name in ("small", "large"):
        done = limited(sys.executable, "-c", PEAK, tool("migrator"), "compare", f"{name}/gpu.json", f"{name}/npu_ascend_pt",
                       "--report", f"{name}/report", "--format", "csv", cwd=work, memory=None)
        ends(checks, done, 0)
        peaks.append(int(done.stdout.split()[-1]) << 10)
    grown = peaks[1] - peaks[0]
    checks.expect(SANITIZED or grown < 2 * megabytes * 1e6 / 8, f"{grown} bytes for two traces of {megabytes} MB")


# ---- a machine that gives nothing ----

def as_nobody(*arguments, cwd):
    """Without the right to a single further thread; root has no such limit, so it is given up."""
    return limited("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *arguments, cwd=cwd, memory=None, threads=1)


@case
def no_threads(checks, work):
    """Work that no thread can be had for is done by the one that there is."""
    work.chmod(0o777)
    try:
        can_be_nobody = as_nobody(tool("migrator"), "--version", cwd=work).returncode == 0
    except OSError:
        can_be_nobody = False
    if not can_be_nobody:
        print("SKIPPED: no_threads needs setpriv, root, and programs that everybody may run")
        return
    project(work)
    for i in range(8):
        (work / f"p/{i}.py").write_text(TRAIN)
    make_tiny(checks, "llama2", work / "hf")
    for path in work.rglob("*"):
        path.chmod(0o777)
    done = as_nobody(tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", "out", "--tp", "2", "-q", "-j", "4", cwd=work)
    ends(checks, done, 0)
    limited(tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", "wanted", "--tp", "2", "-q", cwd=work)
    same = subprocess.run(["diff", "-r", "out", "wanted"], cwd=work, capture_output=True, text=True)
    checks.equal(same.stdout + same.stderr, "", "the checkpoint that was made without threads")
    done = as_nobody(tool("migrator"), "migrate", "p", "-o", "q", "-q", "-j", "4", cwd=work)
    ends(checks, done, 0)
    checks.expect("torch.npu" in (work / "q/7.py").read_text(), "migrate without threads")


@case
def no_memory(checks, work):
    """From a run that cannot begin to one that can end: each is told in one line, and leaves no output, or a whole one."""
    if SANITIZED:
        return
    project(work, many_py=TRAIN * 5_000)
    make_tiny(checks, "llama2", work / "hf")
    runs = {"ckpt_convert": [tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", "out", "--tp", "2", "-q", "-j", "3"],
            "migrator": [tool("migrator"), "migrate", "p", "-o", "out", "-q", "-j", "3"]}
    for name, arguments in runs.items():
        codes = set()
        limited(*arguments, "--force" if name == "migrator" else "-q", cwd=work, memory=None)
        (work / "out").rename(work / f"{name}_wanted")
        # The kernel ends what it has no room to map.
        smallest = (Path(arguments[0]).stat().st_size >> 20) + 1
        for mebibytes in list(range(smallest, 60, 2)) + list(range(60, 400, 20)):
            done = limited(*arguments, cwd=work, memory=mebibytes << 20)
            codes.add(done.returncode)
            if done.returncode == 0:
                break
            # The loader of the system has the first word.
            if done.returncode == 127 or "shared librar" in done.stderr:
                continue
            ends(checks, done, NO_MEMORY, "not enough memory")
            # Without memory for the report there may be an output: a whole one.
            if (work / "out").exists():
                same = subprocess.run(["diff", "-r", "out", f"{name}_wanted"], cwd=work, capture_output=True, text=True)
                checks.equal(same.stdout, "", f"{name} with {mebibytes} MiB: what is left")
            checks.equal([path.name for path in work.iterdir() if "out." in path.name], [], f"{name} with {mebibytes} MiB: staging")
            subprocess.run(["rm", "-rf", "out", "out_report"], cwd=work, check=True)
        checks.expect({0, NO_MEMORY} <= codes, f"{name}: exit codes {codes}")
        subprocess.run(["rm", "-rf", "out", "out_report"], cwd=work, check=True)


def main():
    checks = Checks()
    if sys.platform != "linux":
        skip("the limits are those of Linux")
    for function in CASES:
        if sys.argv[1:] and function.__name__ not in sys.argv[1:]:
            continue
        failures = len(checks.failures)
        with temporary_directory() as directory:
            function(checks, Path(directory))
        checks.failures[failures:] = [f"{function.__name__}: {failure}" for failure in checks.failures[failures:]]
    checks.finish()


if __name__ == "__main__":
    main()
