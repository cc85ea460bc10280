"""Checks that a type has one definition: of two with one name in one namespace, a program takes either for both, without a word."""

import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402

NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{$|^\}  // namespace(?: ([\w:]+))?$", re.MULTILINE)
# Not one that is declared only, a member's, or a specialisation.
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum|union) (\w+)(?![\w:<])[^;{()]*\{", re.MULTILINE)


def types_of(text):
    """The qualified names of the types at namespace level; those of a source alone have no name from outside."""
    marks = [(found.start(), found) for found in NAMESPACE.finditer(text)] + [(found.start(), found[1]) for found in TYPE.finditer(text)]
    inside = []
    for _, mark in sorted(marks, key=lambda one: one[0]):
        if isinstance(mark, str):
            if None not in inside:
                yield "::".join([*inside, mark])
        elif mark[0].startswith("namespace"):
            inside.append(mark[1])
        elif inside:
            inside.pop()


def main():
    checks = Checks()
    places = defaultdict(set)
    for name in tracked_files():
        if name.endswith((".h", ".cpp")) and name.split("/")[0] in ("base", "command_line", "shell", "migrator", "ckpt_convert"):
            for found in types_of((ROOT / name).read_text(encoding="utf-8")):
                places[found].add(name)
    for found, names in sorted(places.items()):
        checks.expect(len(names) == 1, f"{found} is defined in {', '.join(sorted(names))}")
    checks.expect(len(places) > 500, f"only {len(places)} types were found")
    checks.equal(list(types_of("namespace a {\nstruct X {\nnamespace {\nstruct Y {\n}  // namespace\nclass Z : X {\n}  // namespace a\n")),
                 ["a::X", "a::Z"], "types of a source")
    checks.finish()


if __name__ == "__main__":
    main()
