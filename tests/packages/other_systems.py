"""The wheels of dist/ (cmake/wheels.sh x86_64 aarch64) on other systems than this one. `./test.sh --packages` runs it, as root.

    other_systems.py [--root DIR]...     --root: a system that is there already, instead of those of SUITES

* the oldest releases that Debian's mirrors have, made with debootstrap below build/systems: pip installs the wheel there, and both
  programs do their main jobs;
* Arm: pip takes the wheel for it, and both programs do their main jobs under qemu-user.
"""

import argparse
import platform
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory  # noqa: E402
from main_jobs import check_main_jobs  # noqa: E402

SUITES = ("bullseye",)
SYSTEMS = ROOT / "build/systems"


def wheel_for(machine):
    found = sorted((ROOT / "dist").glob(f"*{machine}.whl"))
    if not found:
        sys.exit(f"there is no wheel for {machine} below dist/; run cmake/wheels.sh {machine}")
    return found[-1]


def wrapper(path, *command):
    """A program that runs another one in some way."""
    words = " ".join(f"'{word}'" for word in command)
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    path.chmod(0o755)


def made_system(checks, suite):
    root = SYSTEMS / suite
    if not (root / ".complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        SYSTEMS.mkdir(parents=True, exist_ok=True)
        packages = "python3,python3-pip,python3-venv"
        done = run("debootstrap", "--variant=minbase", f"--include={packages}", suite, root, seconds=3600)
        if not checks.equal(done.returncode, 0, f"debootstrap {suite}: {done.stdout[-2000:]}{done.stderr[-2000:]}"):
            return None
        (root / ".complete").touch()
    return root


def check_system(checks, root):
    """Programs run in the system, but see the directory of the test under its own name."""
    inside = run("chroot", root, "sh", "-c", "cat /etc/os-release; ldd --version | head -n 1; python3 --version").stdout
    print("\n".join(line for line in inside.splitlines() if line.startswith(("PRETTY_NAME", "ldd", "Python"))))
    wheel = wheel_for(platform.machine())
    shutil.copy(wheel, root / "tmp")
    run_ok(checks, "chroot", root, "python3", "-m", "venv", "--clear", "/opt/migration")
    run_ok(checks, "chroot", root, "/opt/migration/bin/pip", "install", "--no-index", f"/tmp/{wheel.name}")
    run_ok(checks, "chroot", root, "/opt/migration/bin/python", "-c", "import migration_toolkit as m; m.analyze('/etc/hostname')")
    with temporary_directory() as name:
        work = Path(name)
        place = root / str(work).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir()
        subprocess.run(["mount", "--bind", work, place], check=True)
        try:
            (work / "bin").mkdir()
            for program in ("migrator", "ckpt_convert"):
                wrapper(work / "bin" / program, "/usr/sbin/chroot", root, f"/opt/migration/bin/{program}")
            check_main_jobs(checks, work / "bin", work)
        finally:
            subprocess.run(["umount", place], check=True)
            place.rmdir()


def check_arm(checks):
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not checks.expect(emulator, "qemu-user is there (apt-get install qemu-user-static)"):
        return
    with temporary_directory() as name:
        work = Path(name)
        run_ok(checks, sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--only-binary=:all:", "--platform",
               "manylinux2014_aarch64", "--target", work / "site", wheel_for("aarch64"))
        (work / "bin").mkdir()
        for program in ("migrator", "ckpt_convert"):
            wrapper(work / "bin" / program, emulator, work / "site/bin" / program)
        check_main_jobs(checks, work / "bin", work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", action="append", type=Path)
    roots = parser.parse_args().root
    checks = Checks()
    check_arm(checks)
    for root in roots or [made_system(checks, suite) for suite in SUITES]:
        if root:
            check_system(checks, root)
    checks.finish()


if __name__ == "__main__":
    main()
