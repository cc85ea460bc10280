"""What the Python tests share: collecting failures, running the tools, skipping."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from patience import patience

ROOT = Path(__file__).resolve().parents[2]
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")
SKIPPED = 77
# Reports have a date: the same for all runs of the tests.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")


class Checks:
    """Collects failures, so that one run shows all of them."""

    def __init__(self):
        self.failures = []
        self.passed = 0

    def expect(self, condition, message):
        if condition:
            self.passed += 1
        else:
            self.failures.append(message)
        return bool(condition)

    def equal(self, found, wanted, what):
        return self.expect(found == wanted, f"{what}: expected {shorten(wanted)}, found {shorten(found)}")

    def finish(self):
        for failure in self.failures[:100]:
            print(f"FAILED: {failure}")
        if len(self.failures) > 100:
            print(f"... and {len(self.failures) - 100} more")
        print(f"{self.passed} checks passed, {len(self.failures)} failed")
        sys.exit(1 if self.failures or self.passed == 0 else 0)


def shorten(value, limit=400):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[:limit] + "..."


def skip(reason):
    """A missing tool: skipped on a developer's machine, an error in CI, where it must be there."""
    print(f"{'FAILED' if IN_CI else 'SKIPPED'}: {reason}")
    sys.exit(1 if IN_CI else SKIPPED)


def tool(name):
    """The path of one of our programs: from MIGRATION_BIN, which ctest sets, or from the release build."""
    directory = Path(os.environ.get("MIGRATION_BIN", ROOT / "build/release/bin"))
    program = directory / name
    if not program.exists():
        skip(f"{program} is not there; build it first: cmake --preset release && cmake --build --preset release")
    return str(program)


def run(*command, cwd=None, seconds=300):
    """Runs a command without a terminal; gives a CompletedProcess with text output. `seconds`: as of patience()."""
    return subprocess.run([str(part) for part in command], cwd=cwd, timeout=patience(seconds), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="surrogateescape")


def run_ok(checks, *command, **options):
    """Runs a command that must succeed; False and a noted failure when it does not."""
    done = run(*command, **options)
    shown = " ".join(str(part) for part in command)
    return checks.expect(done.returncode == 0, f"`{shown}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def temporary_directory():
    return tempfile.TemporaryDirectory(prefix="migration_test_")


def parsed(source):
    """The tree of a Python source, text or bytes; None where CPython does not accept it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_python(source):
    return parsed(source) is not None


def make_tiny(checks, family, directory, *options):
    """A tiny Hugging Face checkpoint of the sample script in `directory`."""
    return run_ok(checks, sys.executable, ROOT / "samples/checkpoints/make_tiny.py", family, directory, *options)


def is_fixture(name):
    """True for input and expected output of tests: odd on purpose, and not to be laid out or checked as ours."""
    return bool(re.match(r"(samples|tests/(.*/)?(golden|fixtures)|rules/(.*/)?cases)/", name)) and not name.endswith("CMakeLists.txt")


def tracked_files():
    """The project's files: what git tracks, or would track, relative to ROOT, sorted."""
    done = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    if done.returncode != 0:
        skip("the list of files comes from git, and this is not a git work tree")
    names = sorted({name for name in done.stdout.split("\0") if name})
    return [name for name in names if (ROOT / name).is_file()]
