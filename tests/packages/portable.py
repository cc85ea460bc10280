"""The programs of the preset `portable` start on any Linux of their architecture: they need no shared library, and so no symbol
of a newer C library. Both do their main job."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from main_jobs import check_main_jobs  # noqa: E402


def needs(program):
    """What readelf lists as needed at run time: shared libraries, symbol versions and the loader."""
    done = run("readelf", "--wide", "--dynamic", "--version-info", "--program-headers", program)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()
            if "(NEEDED)" in line or "GLIBC" in line or "program interpreter" in line]


def check_empty_root(checks, programs, work):
    """Without a C library, a shell or a file of the system: as in the image of the Dockerfile."""
    root = work / "root"
    shutil.copytree(ROOT / "samples/gpt_train", root / "project")
    # A C library would need modules of its own for this encoding.
    (root / "project/gbk.py").write_text("# coding: gbk\nimport torch\nx = torch.ones(2).cuda()  # 张量\n", encoding="gbk")
    for program in programs:
        shutil.copy(program, root)
    done = run("chroot", root, "/migrator", "migrate", "/project", "-o", "/migrated", "-q")
    checks.equal((done.returncode, done.stderr), (0, ""), "migrator in an empty root")
    checks.expect(".npu()  # 张量" in (root / "migrated/gbk.py").read_text(encoding="gbk"), "a file in GBK is rewritten")
    done = run("chroot", root, "/ckpt_convert", "models")
    checks.expect(done.returncode == 0 and "qwen3" in done.stdout, f"ckpt_convert in an empty root: {done.stderr}")


def main():
    checks = Checks()
    portable = [Path(tool(f"portable/{name}")) for name in ("migrator", "ckpt_convert")]
    for program in portable:
        checks.equal(needs(program), [], f"what {program.name} needs")
    checks.expect(any("libc.so.6" in line for line in needs("/bin/sh")), "readelf shows what /bin/sh needs")
    with temporary_directory() as work:
        check_main_jobs(checks, portable[0].parent, Path(work))
        if os.geteuid() == 0:
            check_empty_root(checks, portable, Path(work))
    checks.finish()


if __name__ == "__main__":
    main()
