"""Migrates the small projects in the other styles and runs what runs.

    style_cases.py [NAME...]

portable: a program that runs in the world of GPUs still prints the same there, and the same in the world of NPUs but for
the name of the device (tests/support/two_worlds.py). Both styles: what CPython accepted it still accepts, and a second
migration changes nothing.
"""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, is_python, run, temporary_directory, tool  # noqa: E402

from migration_cases import CASES, outcome_in  # noqa: E402

# What no style but npu can do, each with the reason.
NOT_PORTABLE = {
    "already_multi_backend": "the program's own choice asks torch.cuda first, which the stand-in of an NPU machine lacks",
    "attribute_references_not_called": "torch.Tensor.cuda as a function: reported",
    "conditional_reimport_device": "the module may be another one than torch: reported",
    "latin1_without_cookie": "is no Python 3: reported",
    "user_class_method_cuda": "the class has a cuda() of its own: reported",
}


def migrate(checks, migrator, style, work, project, output):
    done = run(migrator, "migrate", project, "-o", output, "--style", style, "--report", f"{output}_report", "-q", cwd=work, seconds=120)
    return checks.equal((done.returncode, done.stderr), (0, ""), f"{work}: migrate --style {style}")


def python_files(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*.py") if path.is_file() and not path.is_symlink())


def check_case(checks, migrator, style, case, work):
    what = f"{case.name} ({style})"
    shutil.copytree(case / "in", work / "in", symlinks=True)
    if not (migrate(checks, migrator, style, work, "in", "out") and migrate(checks, migrator, style, work, "out", "again")):
        return
    for name in python_files(work / "out"):
        after = (work / "out" / name).read_bytes()
        checks.expect((work / "again" / name).read_bytes() == after, f"{what}: {name}: the second migration changes it")
        if not (work / "in" / name).exists() or not is_python((work / "in" / name).read_bytes()):
            continue
        checks.expect(is_python(after), f"{what}: {name}: no longer Python")
        if style == "portable":
            check_worlds(checks, work, name, case.name)


def check_worlds(checks, work, name, case):
    printed = outcome_in("gpu", work / "in" / name)
    is_module = (work / "in" / name).with_name("__init__.py").exists()  # not run by its path
    if printed is None or is_module or case in NOT_PORTABLE:
        return
    checks.equal(outcome_in("gpu", work / "out" / name), printed, f"{case}: {name}: still on GPUs")
    on_npu = outcome_in("npu", work / "out" / name)
    checks.equal(on_npu and re.sub("cuda", "npu", on_npu), re.sub("cuda", "npu", printed), f"{case}: {name}: on NPUs")


def main():
    checks, migrator, names = Checks(), tool("migrator"), sys.argv[1:]
    for case in sorted(path for path in CASES.iterdir() if (path / "in").is_dir()):
        if names and case.name not in names:
            continue
        for style in ("portable", "auto"):
            with temporary_directory() as work:
                check_case(checks, migrator, style, case, Path(work))
    checks.finish()


if __name__ == "__main__":
    main()
