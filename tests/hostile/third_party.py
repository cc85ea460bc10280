"""The C sources that are built into the programs are the pinned ones, or there is no build: a changed file, one too many and a stamp that
claims otherwise are found, by cmake/fetch_sources.sh and by the check at every build. The tools that make wheels are pinned by hash."""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory  # noqa: E402

SPOILT = {
    "a changed file": lambda sources: (sources / "tree-sitter/src/lib.c").write_text("evil\n"),
    "a file too many": lambda sources: (sources / "tree-sitter/src/evil.c").write_text("evil\n"),
    "a missing file": lambda sources: (sources / "tree-sitter/LICENSE").unlink(),
    "other names": lambda sources: (sources / "tree-sitter/src/lexer.c").rename(sources / "tree-sitter/src/stack.c"),
}


def main():
    checks = Checks()
    with temporary_directory() as folder:
        work = Path(folder)
        shutil.copytree(ROOT / "cmake", work / "cmake")
        offline = work / "bin"  # neither npm nor pip, so that nothing is fetched
        offline.mkdir()
        for name in ("bash", "dirname", "find", "sort", "xargs", "sha256sum", "grep", "mktemp", "rm", "cat", "openssl"):
            (offline / name).symlink_to(shutil.which(name))
        for what, spoil in {"nothing": lambda sources: None, **SPOILT}.items():
            shutil.rmtree(work / "third_party", ignore_errors=True)
            shutil.copytree(ROOT / "third_party", work / "third_party")
            spoil(work / "third_party")
            (work / "third_party/.fetched").write_text("tree-sitter 0.25.0, tree-sitter-python 0.25.0")
            fetched = run("env", f"PATH={offline}", "cmake/fetch_sources.sh", cwd=work)
            checks.equal(fetched.returncode, 0 if what == "nothing" else 1, f"fetch_sources.sh, {what}: {fetched.stderr}")
            built = run("cmake", f"-DTREE_SITTER_DIR={work / 'third_party'}", "-P", "cmake/CheckSources.cmake", cwd=work)
            checks.equal((built.returncode, "exactly the pinned" in built.stderr.replace("\n ", "")), (0, False) if what == "nothing" else (1, True),
                         f"a build, {what}: {built.stderr}")
    pinned = [line for line in (ROOT / "cmake/packaging.txt").read_text().splitlines() if not line.startswith("#")]
    checks.expect(all(re.fullmatch(r"\S+==\S+( ; [^-]+)? --hash=sha256:[0-9a-f]{64}", line) for line in pinned) and len(pinned) > 3, f"{pinned}")
    checks.expect("--require-hashes" in (ROOT / "cmake/wheels.sh").read_text(), "pip is told to ask for hashes")
    checks.finish()


if __name__ == "__main__":
    main()
