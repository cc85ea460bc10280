"""Migrates the projects of cases/ and compares the result with what is expected.

    run_golden.py [--update] [NAME...]

--update replaces the expected files by what was found, and prints the difference: read it before you commit it.
The program is the one in MIGRATION_BIN, else that of the release build.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, temporary_directory, tool  # noqa: E402
from golden_cases import run_case  # noqa: E402

CASES = Path(__file__).resolve().parent / "cases"


def main():
    parser = argparse.ArgumentParser(description="Golden tests of `migrator`.")
    parser.add_argument("--update", action="store_true", help="replace the expected files, and print the difference")
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases to run (default: all)")
    arguments = parser.parse_args()
    checks = Checks()
    migrator = tool("migrator")
    names = arguments.names or sorted(path.name for path in CASES.iterdir() if path.is_dir())
    for name in names:
        with temporary_directory() as directory:
            run_case(checks, migrator, CASES / name, Path(directory), arguments.update)
    checks.finish()


if __name__ == "__main__":
    main()
