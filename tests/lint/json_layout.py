"""Checks that the JSON files below rules/ have the layout of tests/support/json_text.py.

    json_layout.py          check
    json_layout.py --fix    lay the files out anew; what they say stays

The JSON Schemas are laid out by the programs that print them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402
from json_text import WIDTH, laid_out, read  # noqa: E402

# What the layout is, and that it loses nothing.
EXAMPLES = [
    ('{"a":1e-5,"b":[1.0,-0,1E+3],"c":"\\u00e9\\n","d":{},"e":[]}', '{"a": 1e-5, "b": [1.0, -0, 1E+3], "c": "é\\n", "d": {}, "e": []}\n'),
    ('{"z": {"long": "' + "x" * 120 + '"}, "a": [[1, 2], [3]]}',
     '{\n  "z": {"long": "' + "x" * 120 + '"},\n  "a": [[1, 2], [3]]\n}\n'),
    ('["' + "x" * 70 + '", "' + "y" * 60 + '", 7, "' + "z" * 60 + '"]',
     '[\n  "' + "x" * 70 + '", "' + "y" * 60 + '",\n  7, "' + "z" * 60 + '"\n]\n'),
    ('[[], {"only": "' + "x" * 200 + '"}]', '[\n  [],\n  {\n    "only": "' + "x" * 200 + '"\n  }\n]\n'),
]


def check_examples(checks):
    for text, wanted in EXAMPLES:
        checks.equal(laid_out(read(text)), wanted, f"the layout of {text}")
        checks.equal(laid_out(read(wanted)), wanted, "the layout of what is laid out")
    for size, lines in ((WIDTH - 4, 1), (WIDTH - 3, 3)):
        checks.equal(laid_out(["x" * size]).count("\n"), lines, f"lines of a list that takes {size + 4} columns")
    for size, lines in ((WIDTH - 7, 5), (WIDTH - 6, 7)):
        checks.equal(laid_out([["x" * size], {"k": "y" * 50}, {}]).count("\n"), lines, f"lines with an inner list up to column {size + 7}")


def check_file(checks, name, fix):
    text = (ROOT / name).read_text(encoding="utf-8")
    wanted = laid_out(read(text))
    if not checks.expect(read(wanted) == read(text), f"{name}: the layout would change what the file says"):
        return
    if fix and wanted != text:
        (ROOT / name).write_text(wanted, encoding="utf-8")
        return
    places = zip(text.splitlines(), wanted.splitlines())
    line = next((number for number, (found, other) in enumerate(places, 1) if found != other), len(text.splitlines()))
    checks.expect(wanted == text, f"{name}:{line}: laid out differently; python3 tests/lint/json_layout.py --fix")


def main():
    checks = Checks()
    check_examples(checks)
    for name in tracked_files():
        if name.startswith("rules/") and name.endswith(".json") and not name.startswith("rules/schema/"):
            check_file(checks, name, "--fix" in sys.argv)
    checks.finish()


if __name__ == "__main__":
    main()
