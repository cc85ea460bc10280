"""Migrates every case there is, in every style, and checks what holds of all of them.

    migrator_cases.py [--show] [NAME...]      cases to look at (default: all); --show: with the lines that differ

* A second run changes nothing.
* What CPython accepted it accepts afterwards.
* No function reads a name that nothing binds, unless it did before (symtable of CPython).
"""

import argparse
import builtins
import difflib
import itertools
import os
import shutil
import symtable
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_python, run, temporary_directory, tool  # noqa: E402

SNIPPETS = ROOT / "tests/golden/migrator/snippets"
CASES = ROOT / "tests/golden/migrator/cases"
RULES = ROOT / "rules"
WAYS = {"npu": ["--style", "npu"], "portable": ["--style", "portable"], "auto": ["--style", "auto"],
        "affinity": ["--affinity"], "reviewed": ["--affinity", "--apply", "review"]}
ALWAYS_BOUND = set(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__spec__", "__loader__", "__package__", "__class__",
                                     "__builtins__", "__annotations__", "__module__", "__qualname__"}


def cases():
    """(name, by its place in the project: the file or directory that stands there). Snippets are one project, and so are the rules' cases:
    of a run, most of the time goes into loading the rules."""
    out = [("snippets", {path.name: path for path in sorted(SNIPPETS.iterdir()) if path.is_dir()})]
    out += [("rules", {str(path.parent.relative_to(RULES)): path for path in sorted(RULES.glob("**/cases"))})]
    out += [(path.name, {".": path / "in"}) for path in sorted(CASES.iterdir()) if (path / "in").is_dir()]
    return out


def prepare(sources, project):
    project.mkdir()
    for place, source in sources.items():
        shutil.copytree(source, project / place, symlinks=True, dirs_exist_ok=True)


def unbound(data, name):
    """The names that are read somewhere and bound nowhere, of a module that parses."""
    try:
        text = data.decode()
        top = symtable.symtable(text, name, "exec")
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return set()
    if "import *" in text:
        return set()
    tables, read = [top], set()
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (symbol.is_global() or table is top):
                read.add(symbol.get_name())
    return read - bound - ALWAYS_BOUND


def files_in(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*"))
            if path.is_file() and not path.is_symlink() and ".migrator" not in path.parts}


def lines_that_differ(before, after):
    return "\n".join(difflib.unified_diff(before.decode(errors="replace").splitlines(), after.decode(errors="replace").splitlines(), lineterm="", n=1))


def migrated(checks, what, project, output, way):
    done = run(tool("migrator"), "migrate", project, "-o", output, "--report", f"{output}_report", "-q", "--no-progress", *WAYS[way])
    if not checks.expect(done.returncode == 0, f"{what}: ended with {done.returncode}: {done.stderr[-500:]}"):
        return None
    return files_in(output)


def check(checks, name, way, project, work, show):
    what = f"{name} ({way})"
    before = files_in(project)
    after = migrated(checks, what, project, work / "first", way)
    # What has not changed is not changed by a second run.
    again = after if after == before else migrated(checks, what, work / "first", work / "second", way)
    if after is None or again is None:
        return
    for path, data in after.items():
        same = checks.expect(again.get(path) == data, f"{what}: {path}: the second run changes it")
        if show and not same:
            print(lines_that_differ(data, again.get(path, b"")))
        if not path.endswith(".py") or path not in before or not is_python(before[path]):
            continue
        if checks.expect(is_python(data), f"{what}: {path}: is not Python any more"):
            new = unbound(data, path) - unbound(before[path], path)
            checks.expect(not new, f"{what}: {path}: nothing binds {sorted(new)}")
            if show and new:
                print(lines_that_differ(before[path], data))


def main():
    warnings.simplefilter("ignore")  # of the cases' own code
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    checks = Checks()

    def look_at(job):
        (name, sources), way = job
        with temporary_directory() as work:
            prepare(sources, Path(work) / "in")
            check(checks, name, way, Path(work) / "in", Path(work), options.show)

    chosen = [case for case in cases() if not options.names or case[0] in options.names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(look_at, itertools.product(chosen, WAYS)))
    checks.finish()


if __name__ == "__main__":
    main()
