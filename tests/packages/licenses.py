"""templates/licenses.txt, which travels with the programs, names every library that the build links, with its notice; the sources
of those that are fetched come with their license."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

# Not in the programs.
WITHOUT_NOTICE = {"doctest"}


def main():
    checks = Checks()
    build = (ROOT / "cmake/Dependencies.cmake").read_text()
    text = (ROOT / "templates/licenses.txt").read_text()
    table, notices = text.split("\n\n\n", 1)
    rows = dict(re.findall(r"^  (\S+(?:, \S+)?) {2,}(\S+)", table, re.M))
    libraries = set(re.findall(r"^ *require_library\((\S+)", build, re.M)) - WITHOUT_NOTICE | {"glibc"}
    libraries |= {path.name for path in (ROOT / "third_party").iterdir() if path.is_dir()}
    for library in sorted(libraries):
        checks.expect(library in rows, f"{library} is in the table")
    for library, name in rows.items():
        if not library.startswith(("glibc", "libstdc++")):
            checks.expect(f"\n{library}\n{'-' * len(library)}\n" in "\n" + notices, f"{library} ({name}) has a notice")
    for library in ("tree-sitter", "tree-sitter-python"):
        path = ROOT / "third_party" / library / "LICENSE"
        checks.expect(path.is_file() and re.search("(?i)max ?brunsfeld", path.read_text()), f"{path} is there")
    checks.finish()


if __name__ == "__main__":
    main()
