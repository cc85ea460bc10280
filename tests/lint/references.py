"""The references of the command lines are those that the programs print.

    references.py [--fix]      --fix writes them anew, with the programs of the build
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

PAGES = {
    "migrator": ("docs/reference/migrator.md", "How reports, decisions and records work together is in the "
                 "[guide](../guides/migrate-a-project.md); [exit codes](exit-codes.md) have a page of their own."),
    "ckpt_convert": ("docs/reference/ckpt_convert.md", "How the options work together is in "
                     "[Options of ckpt_convert](conversion-options.md); [exit codes](exit-codes.md) have a page of their own."),
}


def page(program, about):
    printed = subprocess.run([str(tool(program)), "--print-reference"], capture_output=True, text=True, check=True).stdout
    return (f"# Command line of {program}\n\nThis page is made from what `{program} --help-all` says. {about}\n\n{printed}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fix", action="store_true")
    fix = parser.parse_args().fix
    checks = Checks()
    for program, (name, about) in PAGES.items():
        wanted = page(program, about)
        if fix:
            (ROOT / name).write_text(wanted, encoding="utf-8")
        checks.expect((ROOT / name).is_file() and (ROOT / name).read_text(encoding="utf-8") == wanted,
                      f"{name} is not what {program} prints; run tests/lint/references.py --fix")
    checks.finish()


if __name__ == "__main__":
    main()
