"""Checks the layout of the C++ sources with clang-format 14 and .clang-format.

    format.py          check
    format.py --fix    lay the files out anew

Other versions of clang-format lay out some code differently, so only 14 counts.
"""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_fixture, skip, tracked_files  # noqa: E402

VERSION = 14


def find_formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        match = re.search(r"version (\d+)\.", said)
        if match and int(match.group(1)) == VERSION:
            return path
    skip(f"clang-format {VERSION} is not there (apt-get install clang-format-{VERSION})")


def main():
    checks = Checks()
    formatter = find_formatter()
    names = [name for name in tracked_files() if name.endswith((".h", ".cpp"))
             and not name.startswith("samples/") and "/golden/" not in name]
    if "--fix" in sys.argv:
        subprocess.run([formatter, "-i", *names], cwd=ROOT, check=True)
        return
    done = subprocess.run([formatter, "--dry-run", "-Werror", *names], cwd=ROOT, capture_output=True, text=True)
    lines = defaultdict(set)
    for name, line in re.findall(r"^(.*?):(\d+):\d+: error:", done.stderr, re.M):
        lines[name].add(int(line))
    checks.expect(done.returncode == 0 or lines, f"clang-format failed: {done.stderr[:1000]}")
    for name in names:
        places = [str(line) for line in sorted(lines[name])]
        checks.expect(not places, f"{name}: lines {', '.join(places[:10])}{' ...' if len(places) > 10 else ''} are laid out "
                      "differently; python3 tests/lint/format.py --fix")
    checks.finish()


if __name__ == "__main__":
    main()
