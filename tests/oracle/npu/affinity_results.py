"""The rows of the affinity suite as a table."""

import json

from checks import ROOT

HEADINGS = ("rule", "what is written", "functions run", "largest difference")


def rules_with_fix():
    """Id -> what the rule writes."""
    found = {}
    for path in sorted((ROOT / "rules/affinity").glob("*.json")):
        for rule in json.loads(path.read_text()).get("rules", ()):
            if "fix" in rule:
                found[rule["id"]] = rule["fix"]["write"].partition("(")[0]
    return found


def cells(rule, written, runs):
    return rule, written, str(len(runs)), f"{max(difference for _, difference in runs):.1e}" if runs else "-"


def as_text(rows):
    lines = [HEADINGS, *(cells(rule, written, rows.get(rule, ())) for rule, written in rules_with_fix().items())]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
