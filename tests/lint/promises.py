"""Every sentence of the pages that promise something has a test: security.md, limits.md and exit-codes.md.

    promises.py [--list]      --list prints the sentences that promises.json does not know

A row of a table whose last column is `test` or `checked by` names its tests there. Every other sentence, and every row of another
table, stands in promises.json with its tests, or with why it promises nothing. So a sentence that changes has its tests looked at
again. A test is a name of ctest, `NAME FUNCTION` of a script, the beginning of a doctest case, or a source of unit tests.
"""

import functools
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

TESTS = ROOT / "tests"
PAGES = ["docs/security.md", "docs/reference/limits.md", "docs/reference/exit-codes.md"]
KNOWN = TESTS / "lint/promises.json"
NO_PROMISE = {"advice", "definition", "pointer"}  # what a sentence is that says nothing about what the programs do
ITS_TESTS = ("test", "checked by")


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip())[1:-1]]


def blocks(text):
    """Of a page: tables as lists of lines, and every other paragraph or item of a list as one line."""
    for part in re.split(r"\n\s*\n", text):
        lines = part.splitlines()
        if lines and lines[0].startswith("|"):
            yield lines
        elif not part.startswith(("#", "```")):
            for item in re.split(r"\n(?=\* )", part):
                yield " ".join(line.strip() for line in item.splitlines())


def sentences(page):
    """(sentence, its tests where the page names them, else None)"""
    for block in blocks((ROOT / page).read_text()):
        if isinstance(block, str):
            yield from ((one, None) for one in re.split(r"(?<=[.!?:])\s+(?=[A-Z*`])", block.strip()) if one)
            continue
        names_tests = cells(block[0])[-1] in ITS_TESTS
        for row in block[2:]:
            yield (" | ".join(cells(row)[:-1]), cells(row)[-1]) if names_tests else (" | ".join(cells(row)), None)


@functools.cache
def tests_of_ctest():
    """By name: the script, or None of a program."""
    lists = [TESTS / "CMakeLists.txt", TESTS / "golden/migrator/CMakeLists.txt"]
    out = {name: path.parent / script for path in lists
           for name, script in re.findall(r"add_python_test\((\S+)\s+\w+\s+([^\s)]+)", path.read_text()) if "$" not in name}
    text = lists[0].read_text()
    out.update((name, None) for name in re.findall(r"add_unit_tests\((\w+)", text))
    out.update((f"packages.{path.stem}", path) for path in (TESTS / "packages").glob("*.py"))
    out["fuzz.run"] = TESTS / "fuzz/run.py"  # of test.sh
    return out


@functools.cache
def unit_tests():
    return {path.name: path.read_text() for path in (TESTS / "unit").rglob("*_test.cpp")}


def is_a_test(name):
    if name in unit_tests():
        return True
    script, _, function = name.partition(" ")
    if script in tests_of_ctest():
        path = tests_of_ctest()[script]
        return not function or (path is not None and re.search(rf"^def {re.escape(function)}\(", path.read_text(), re.M) is not None)
    return any(f'TEST_CASE("{name}' in text for text in unit_tests().values())


def names_in(cell):
    """The tests that a cell of a page names; a name without that of its script is of the script before it."""
    out = []
    for name in re.findall(r"`([^`]+)`", cell):
        script = out[-1].split(" ")[0] if out else ""
        out.append(f"{script} {name}" if not is_a_test(name) and script and is_a_test(f"{script} {name}") else name)
    return out


def main():
    checks, known = Checks(), json.loads(KNOWN.read_text())
    checks.equal(sorted(known), sorted(PAGES), "pages")
    for page in PAGES:
        mine, seen = known[page], set()
        for sentence, cell in sentences(page):
            if cell is None and sentence not in mine and "--list" in sys.argv:
                print(json.dumps({page: sentence}, ensure_ascii=False))
            if cell is None:
                checks.expect(sentence in mine, f"{page}: {KNOWN.name} names no test of {sentence!r}")
                seen.add(sentence)
                continue
            linked = re.findall(r"\]\(([^)#]+)", cell)
            names = names_in(cell)
            checks.expect(names or linked, f"{page}: no test in the row of {sentence[:60]!r}")
            for name in names:
                checks.expect(is_a_test(name), f"{page}: there is no test {name!r}")
        checks.equal(sorted(set(mine) - seen), [], f"{page}: sentences that it does not have any more")
        for sentence, tests in mine.items():
            if isinstance(tests, str):
                checks.expect(tests in NO_PROMISE, f"{page}: {tests!r} of {sentence!r} is none of {sorted(NO_PROMISE)}")
                continue
            checks.expect(tests, f"{page}: no test of {sentence!r}")
            for name in tests:
                checks.expect(is_a_test(name), f"{page}: there is no test {name!r}, named for {sentence!r}")
    checks.finish()


if __name__ == "__main__":
    main()
