"""Checks the layout of the C++ sources with clang-format 14 and .clang-format.

    format.py          check
    format.py --fix    lay the files out anew

Other versions of clang-format lay out some code differently, so only 14 counts.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, skip, tracked_files  # noqa: E402

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
    for name in tracked_files():
        if not name.endswith((".h", ".cpp")) or name.startswith("samples/"):
            continue
        if "--fix" in sys.argv:
            subprocess.run([formatter, "-i", name], cwd=ROOT, check=True)
            continue
        done = subprocess.run([formatter, "--dry-run", "-Werror", name], cwd=ROOT, capture_output=True, text=True)
        places = re.findall(r":(\d+):\d+: error:", done.stderr)
        checks.expect(done.returncode == 0,
                      f"{name}: lines {', '.join(places[:10])}{' ...' if len(places) > 10 else ''} are laid out differently "
                      "(tests/lint/format.py --fix)")
    if "--fix" not in sys.argv:
        checks.finish()


if __name__ == "__main__":
    main()
