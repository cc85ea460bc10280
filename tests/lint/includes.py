"""Checks every #include against the edges that docs/architecture.md allows.

    includes.py            check
    includes.py --print    print the table of edges as the code has them

An edge that is not listed fails, and so does a listed one that no file uses.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_fixture, tracked_files  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SOURCES = ("base/", "command_line/", "shell/", "migrator/", "ckpt_convert/")
TOOLS = ("migrator", "ckpt_convert")


def table(document, heading):
    """Rows of the Markdown table below a heading: lists of cells, code marks removed."""
    part = document.split(f"\n{heading}\n", 1)
    if len(part) < 2:
        raise SystemExit(f"docs/architecture.md has no heading \"{heading}\"")
    rows = []
    for line in part[1].split("\n#", 1)[0].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")])
    return rows[2:]


def split_list(cell):
    return [item.strip() for item in cell.split(",") if item.strip() and item.strip() != "-"]


def folder_of(path):
    return path.rsplit("/", 1)[0]


def main():
    checks = Checks()
    files = [name for name in tracked_files() if name.endswith((".h", ".cpp")) and not is_fixture(name)]
    includes = {}  # file -> [(is_quoted, included)]
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        includes[name] = [(quote == '"', what) for quote, what in INCLUDE.findall(text)]

    edges = defaultdict(set)  # (from, to) -> files that make it
    for name, found in includes.items():
        if not name.startswith(SOURCES):
            continue
        for quoted, what in found:
            if not quoted:
                continue
            if checks.expect((ROOT / what).is_file(), f"{name}: \"{what}\" is not a path from the project's root"):
                if folder_of(what) != folder_of(name):
                    edges[folder_of(name), folder_of(what)].add(name)

    if "--print" in sys.argv:
        print("| folder | may include |\n| --- | --- |")
        for start in sorted({start for start, _ in edges} | {folder_of(f) for f in files if f.startswith(SOURCES)}):
            ends = sorted(end for begin, end in edges if begin == start)
            print(f"| `{start}` | {', '.join(f'`{end}`' for end in ends) or '-'} |")
        return

    document = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    allowed = {}
    for row in table(document, "### Allowed edges"):
        checks.expect(row[0] not in allowed, f"docs/architecture.md lists {row[0]} twice")
        allowed[row[0]] = split_list(row[1])

    for (start, end), names in sorted(edges.items()):
        checks.expect(end in allowed.get(start, []),
                      f"{start} may not include {end} (docs/architecture.md does not list it): {', '.join(sorted(names))}")
        for one, other in (TOOLS, TOOLS[::-1]):
            checks.expect(not (start.startswith(one) and end.startswith(other)), f"{start} includes {end} of the other tool")
    for start, ends in sorted(allowed.items()):
        checks.expect(any(folder_of(name) == start for name in files), f"docs/architecture.md lists {start}, which has no sources")
        for end in ends:
            checks.expect((start, end) in edges, f"docs/architecture.md allows {start} -> {end}, which no file uses")

    # No way back: the edges must form no circle.
    order, left = [], {start: set(ends) for start, ends in allowed.items()}
    while True:
        free = [start for start, ends in left.items() if not ends & set(left)]
        if not free:
            break
        order += free
        for start in free:
            del left[start]
    checks.expect(not left, f"these folders include each other in a circle: {', '.join(sorted(left))}")

    # Headers of other projects that only some places may see.
    for header, places in table(document, "### Headers that hide a library"):
        seen = False
        for name, found in includes.items():
            for _, what in found:
                if what != header and not (header.endswith("/") and what.startswith(header)):
                    continue
                seen = True
                checks.expect(any(name == place or (place.endswith("/") and name.startswith(place)) for place in split_list(places)),
                              f"{name} includes {what}, which only {places} may")
        checks.expect(seen, f"docs/architecture.md speaks of the header {header}, which no file includes")
    checks.finish()


if __name__ == "__main__":
    main()
