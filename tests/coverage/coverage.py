"""docs/reference/coverage.md: everything that the older migration tool does, what we do instead, and which case proves it.

    coverage.py            checks the page, and that the cases of coverage.json are there and show the rules of their rows
    coverage.py --update   writes the page

A case is a project below tests/golden/migrator/cases (its findings), a case file of rules/ (its `expect:` comments), or any
other test file; of the first two, one must show a rule of the row.
"""

import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from checks import ROOT, Checks  # noqa: E402

PAGE = ROOT / "docs/reference/coverage.md"
RECALL = HERE.parent / "migrations/recall.json"
PROJECTS = "tests/golden/migrator/cases/"
HEAD = """# What Huawei's tool does, and what we do

Written by `tests/coverage/coverage.py --update` from `coverage.json` beside it. Each row is something that msTransplant (msFmkTransplt)
finds, changes or writes; continuous integration checks that the rules and the cases named here exist and belong together.

"""


def rules_shown_by(case):
    """The ids of rules that a case has findings of."""
    path = ROOT / case
    if case.startswith(PROJECTS):
        return {line.split()[1] for line in (path / "expected/findings.txt").read_text().splitlines()}
    text = path.read_text(encoding="utf-8")
    return {word for line in re.findall(r"\bexpect: (.*)", text) for word in re.findall(r"[\w.]+", line)}


def code(names):
    return ", ".join(f"`{name}`" for name in names) if names else "-"


def shown(case):
    return case.removeprefix(PROJECTS)


BY_HAND = """## Five migrations made by hand

`tests/migrations` has five small projects and what a person made of each: classification with DDP and apex, detection with its own
collation, a language model in spawned processes, a GAN, a recommender with embedding tables. Counted are the places that were changed, by
class: done by `migrate`, offered by `--affinity --apply review`, reported near the place or once for the project, missed.
`tests/migrations/recall.py` counts again. The projects were written beside the rules, so this shows what is lost, and not what to expect.

| class | places | done | offered | reported | missed |
| --- | --- | --- | --- | --- | --- |
"""


def by_hand(recall):
    """What was counted, with the sum of all classes below."""
    kinds = ("done", "offered", "reported", "missed")
    rows = {**recall, "**all**": {kind: sum(row[kind] for row in recall.values()) for kind in kinds}}
    return BY_HAND + "".join(
        f"| {name} | {sum(row.values())} | {' | '.join(str(row[kind]) for kind in kinds)} |\n" for name, row in rows.items()
    )


def page(sections):
    text = HEAD
    for section in sections:
        text += f"## {section['title']}\n\n| theirs | ours | rules | cases |\n| --- | --- | --- | --- |\n"
        for row in section["rows"]:
            cells = [row["theirs"], row["ours"], code(row.get("rules", [])), code(map(shown, row["cases"]))]
            text += "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
        text += "\n"
    return text + by_hand(json.loads(RECALL.read_text()))


def check_row(checks, row):
    where = row["theirs"]
    if not checks.expect(row["cases"], f"{where}: no case"):
        return
    missing = [case for case in row["cases"] if not (ROOT / case).exists()]
    if not checks.equal(missing, [], f"{where}: cases that are not there") or not row.get("rules"):
        return
    cases = [case for case in row["cases"] if case.startswith((PROJECTS, "rules/"))]
    proven = set().union(*map(rules_shown_by, cases)) if cases else set()
    unproven = [rule for rule in row["rules"] if rule not in proven] if cases else []
    checks.equal(unproven, [], f"{where}: rules that no case of the row shows")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the page")
    update = parser.parse_args().update
    sections = json.loads((HERE / "coverage.json").read_text())
    checks = Checks()
    for section in sections:
        for row in section["rows"]:
            check_row(checks, row)
    if update:
        PAGE.write_text(page(sections))
    checks.equal(PAGE.read_text() if PAGE.exists() else "", page(sections), "the page; coverage.py --update writes it")
    checks.finish()


if __name__ == "__main__":
    main()
