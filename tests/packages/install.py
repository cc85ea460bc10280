"""`cmake --install` puts both programs and what must travel with them below a prefix, and nothing of the tests. The programs do
their main jobs from there, and another project finds them with CMake."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402
from main_jobs import check_main_jobs  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(other NONE)
find_package(migration_toolkit 0.1 REQUIRED)
foreach(name migrator ckpt_convert)
  get_target_property(program migration_toolkit::${name} LOCATION)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "found: ${said}")
endforeach()
"""


def kind(name):
    """A file's name without what differs between machines."""
    return name.replace("lib64/", "lib/").replace("lib/x86_64-linux-gnu/", "lib/").replace("lib/aarch64-linux-gnu/", "lib/")


def main():
    checks = Checks()
    build = Path(tool("migrator")).parents[1]
    with temporary_directory() as name:
        work = Path(name)
        prefix = work / "prefix"
        run_ok(checks, "cmake", "--install", build, "--prefix", prefix)
        package = "lib/cmake/migration_toolkit/migration_toolkit-config"
        wanted = {"bin/migrator", "bin/ckpt_convert", "share/doc/ascend_migration/LICENSE", "share/doc/ascend_migration/licenses.txt",
                  f"{package}.cmake", f"{package}-release.cmake", f"{package}-version.cmake"}
        for program in ("migrator", "ckpt_convert"):
            wanted |= {f"share/man/man1/{program}.1", f"share/bash-completion/completions/{program}", f"share/zsh/site-functions/_{program}",
                       f"share/fish/vendor_completions.d/{program}.fish"}
        found = {kind(str(path.relative_to(prefix))) for path in prefix.rglob("*") if path.is_file()}
        checks.equal(sorted(found), sorted(wanted), "installed files")
        checks.expect(all(os.access(prefix / "bin" / program, os.X_OK) for program in ("migrator", "ckpt_convert")), "they can be run")
        for program in ("migrator", "ckpt_convert"):
            manual = run(prefix / "bin" / program, "--print-man").stdout
            checks.equal((prefix / f"share/man/man1/{program}.1").read_text(), manual, f"the manual of {program}")
            completed = run(prefix / "bin" / program, "completion", "zsh").stdout
            checks.equal((prefix / f"share/zsh/site-functions/_{program}").read_text(), completed, f"the completion of {program}")
        check_main_jobs(checks, prefix / "bin", work)

        (work / "other").mkdir()
        (work / "other/CMakeLists.txt").write_text(PROJECT)
        done = run("cmake", "-S", work / "other", "-B", work / "other_build", f"-DCMAKE_PREFIX_PATH={prefix}")
        for program in ("migrator", "ckpt_convert"):
            version = run(prefix / "bin" / program, "--version").stdout.strip()
            checks.expect(f"found: {version}" in done.stdout, f"CMake finds {program}: {done.stdout}{done.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
