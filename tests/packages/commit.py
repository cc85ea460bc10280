"""--version says the commit of the sources: of a git checkout, of an archive that git made, or as given to CMake; without any of
these only the version. The source that holds it is written again only when the commit has changed."""

import re
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402


def git(where, *words):
    done = run("git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words, cwd=where)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_sources(where):
    """A checkout of what decides about the commit."""
    (where / "cmake").mkdir(parents=True)
    for name in (".gitattributes", "cmake/commit.txt"):
        (where / name).write_bytes((ROOT / name).read_bytes())
    git(where, "init", "-q")
    git(where, "add", ".")
    git(where, "commit", "-q", "-m", "all")
    return git(where, "rev-parse", "--short=12", "HEAD")


def written(sources, output, *options):
    done = run("cmake", f"-DSOURCE={sources}", f"-DOUTPUT={output}", *options, "-P", ROOT / "cmake/Commit.cmake")
    assert done.returncode == 0, done.stderr
    return re.search(r'kCommit = "(.*)";', output.read_text())[1]


def main():
    checks = Checks()
    for program in ("migrator", "ckpt_convert"):
        said = run(tool(program), "--version").stdout
        checks.expect(re.fullmatch(rf"{program} \d+\.\d+\.\d+( \(commit [0-9a-f]{{12}}(-dirty)?\))?\n", said), f"--version: {said}")
    with temporary_directory() as name:
        work = Path(name)
        sources, output = work / "sources", work / "commit.cpp"
        commit = make_sources(sources)
        checks.equal(written(sources, output), commit, "of a checkout")
        before = output.stat().st_mtime_ns
        checks.equal(written(sources, output), commit, "of a checkout, again")
        checks.equal(output.stat().st_mtime_ns, before, "the file is left alone")

        git(sources, "archive", "--format=tar", "--prefix=a/", "-o", work / "a.tar", "HEAD")
        with tarfile.open(work / "a.tar") as archive:
            archive.extractall(work)
        checks.equal(written(work / "a", output), commit, "of an archive")
        checks.equal(written(work / "a", output, "-DCOMMIT=release-7"), "release-7", "as given")

        (sources / ".gitattributes").write_text("")
        checks.equal(written(sources, output), f"{commit}-dirty", "with a changed file")
        (sources / ".git").rename(work / "elsewhere")
        checks.equal(written(sources, output), "", "without git")
    checks.finish()


if __name__ == "__main__":
    main()
