"""The figures of the campaigns that are run by hand: tests/faults/figures.json, and the section of docs/reference/verified.md that
follows from it.

A campaign with figures there
1. has an entry in CAMPAIGNS: its title, a sentence of what it did, and the headings of its table, of which the first says what a
   row is of;
2. takes the option --record and, when nothing has failed, ends with `figures.record("NAME", rows)`: lists of cells as the headings
   say. Rows of earlier runs stay where this run has none of that name (--only);
3. says in `names` of tests/lint/figures.py which rows there must be.
"""

import json
import sys
from pathlib import Path

from checks import ROOT

PAGE = ROOT / "docs/reference/verified.md"
FIGURES = ROOT / "tests/faults/figures.json"
HEADING = "## Campaigns\n"
ABOUT = """
Written by the campaigns when they are run by hand with `--record`, from `tests/faults/figures.json`. Continuous integration runs a
share of each. Every run of these tables ended as the campaign wants it.
"""
# By the name of the campaign, in the order of the page.
CAMPAIGNS = {
    "faults": ("Kills, failing calls, signals, pairs",
               "Runs that were killed at a call that changes the disk, or at a random moment; in which a call failed; that got a signal; and "
               "that had the same run beside them. What must hold afterwards stands at the top of `tests/faults/campaign.py`.",
               ["run", "changing calls", "killed", "failing calls", "signals", "killed at any moment", "pairs"]),
    "mutations": ("Changed inputs",
                  "Files that were changed at random, for every reader: each run ended by itself with a documented exit code, and printed no "
                  "control character (`tests/fuzz/programs.py`).",
                  ["reader", "inputs", "runs", "exit codes: runs"]),
}


def read():
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def section():
    """The end of the page."""
    figures, parts = read(), [HEADING + ABOUT]
    for name, (title, about, headings) in CAMPAIGNS.items():
        if name in figures:
            parts.append(f"### {title}\n\n{about} The last run was\n`{figures[name]['command']}`.\n\n{table(headings, figures[name]['rows'])}")
    return "\n".join(parts)


def without_section(text):
    return text.partition("\n" + HEADING)[0].rstrip("\n") + "\n"


def write_page():
    PAGE.write_text(without_section(PAGE.read_text()) + "\n" + section())


def command_line():
    """How this campaign was run, without what only chooses rows."""
    words = [str(Path(sys.argv[0]).resolve().relative_to(ROOT)), *sys.argv[1:]]
    return " ".join(word for at, word in enumerate(words) if word not in ("--record", "--only") and words[at - 1] != "--only")


def record(name, rows):
    figures = read()
    rows = [list(row) for row in rows]
    assert all(len(row) == len(CAMPAIGNS[name][2]) for row in rows), "a row is not as the headings say"
    mine = {row[0]: row for row in rows}
    kept = [mine.pop(row[0], row) for row in figures.get(name, {}).get("rows", [])]
    figures[name] = {"command": command_line(), "rows": kept + list(mine.values())}
    FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    write_page()
