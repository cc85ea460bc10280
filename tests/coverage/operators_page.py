"""Writes docs/reference/operators.md from rules/operators and rules/api: what leaves the NPU, and where sources disagree.

    operators_page.py [--fix]      without --fix: whether the page is what the rules say, and whether they agree as well as they did
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

PAGE = ROOT / "docs/reference/operators.md"
PAGES_VERSION = (2, 12)  # of torch, whose API pages are compared
CHIP = "910b"
LEAST_AGREEMENT = 0.924  # as much as was measured; it only rises
WORDS = ("npu_aclnn", "npu_aclop", "npu_native", "cpu_fallback", "refused", "unknown")
REASONS = {
    ("no", "npu"): ("The pages say no, and there is a kernel",
                    "Not supported means not verified on these pages: take it for a warning, and try it."),
    ("yes", "cpu_fallback"): ("The pages say yes, and it runs on the CPU",
                              "Supported means on these pages that the result is right, and the CPU may compute it."),
    ("fallback", "npu"): ("The pages speak of the CPU, and the usual call has a kernel",
                          "The remark is for some arguments; not counted as a disagreement."),
    ("yes", "unknown"): ("The pages say yes, and no source says whether there is a kernel",
                         "The page of the kernel leaves this chip out."),
}


def load(path):
    return json.loads((ROOT / "rules" / path).read_text())


def at_version(value):
    """A value, or the one of the newest version up to that of the pages."""
    if not isinstance(value, dict):
        return value
    numbers = {tuple(map(int, version.split("."))): item for version, item in value.items()}
    known = [version for version in numbers if version <= PAGES_VERSION]
    return numbers[max(known)] if known else None


def said_by_pages(row):
    limits = at_version(row.get("limits")) or []
    if any(limit.startswith("cpu_fallback") for limit in limits):
        return "fallback"
    support = at_version(row.get("support", "yes"))
    return "yes" if support == "partly" else support


def on_chip(row, chip=CHIP):
    return next(on for on in row["on"] if chip in on["chips"])


def known_pages(names):
    """The rows of the API pages, by the names that the operators have."""
    rows = {row["name"]: row for row in load("api/torch.json")["apis"]}
    return {name: rows.get(name) or rows.get(row.get("also")) for name, row in names.items() if name in rows or row.get("also") in rows}


def compared(names, pages):
    """{(pages, operators): [(name, operator that decides)]}"""
    found = defaultdict(list)
    for name, row in names.items():
        said = said_by_pages(pages[name]) if name in pages else None
        if said in (None, "unknown"):
            continue
        on = on_chip(row)
        verdict = "npu" if on["forward"].startswith("npu") else on["forward"]
        found[said, verdict].append((name, on.get("by", "no kernel needed")))
    return found


def agreement(found):
    agree = sum(len(found[pair]) for pair in (("fallback", "cpu_fallback"), ("no", "cpu_fallback"), ("yes", "npu")))
    disagree = sum(len(found[pair]) for pair in (("no", "npu"), ("yes", "cpu_fallback"), ("yes", "unknown")))
    return agree, disagree


def counts(chips, names):
    lines = ["| chip | product | " + " | ".join(WORDS) + " |", "|---" * (len(WORDS) + 2) + "|"]
    for chip in chips["chips"]:
        words = Counter(on_chip(row, chip["name"])["forward"] for row in names.values())
        lines.append(f"| {chip['name']} | {chip['product']} | " + " | ".join(str(words[word]) for word in WORDS) + " |")
    return lines


def listed(rows):
    return ", ".join(f"`{name.removeprefix('torch.')}` ({by})" for name, by in sorted(rows))


def all_names():
    rows = load("operators/names.json")["names"] + load("operators/names_told.json")["names"]
    return sorted(rows, key=lambda row: row["name"])


def page():
    chips, names = load("operators/chips.json"), {row["name"]: row for row in all_names()}
    pages = known_pages(names)
    found = compared(names, pages)
    agree, disagree = agreement(found)
    fallen = [(name, on_chip(row).get("by", "")) for name, row in names.items() if on_chip(row)["forward"] == "cpu_fallback"]
    silent = [item for item in fallen if item[0] not in pages]
    backward = [(name, on_chip(row).get("backward_by", "")) for name, row in names.items()
                if on_chip(row)["forward"].startswith("npu") and on_chip(row).get("backward") == "cpu_fallback"]
    out = ["# Operators: what the sources say", "",
           "Made from `rules/operators` and `rules/api` by `tests/coverage/operators_page.py`; [`migrator ops`](migrator.md) asks the same data.",
           f"Names are those of torch {load('operators/operators.json')['torch']}, without `torch.` at their beginning; the operator that",
           "decides stands after each. Nothing was run on an NPU.", "",
           "## Verdicts of public names, forward", "", *counts(chips, names), "",
           *[f"{chip['weak']}" for chip in chips["chips"] if chip.get("weak")], "",
           "## To the CPU on Atlas A2", "",
           f"{len(fallen)} names fall to the CPU forward; {len(silent)} of them are on no API page.", "",
           "On no API page:", "", listed(silent) + ".", "", "On a page:", "",
           listed(item for item in fallen if item[0] in pages) + ".", "",
           f"{len(backward)} names do so in the backward pass alone: {listed(backward)}.", "",
           "## Compared with the API pages", "",
           f"Of the names that the pages for torch {PAGES_VERSION[0]}.{PAGES_VERSION[1]} on Atlas A2 list too, {agree} agree and {disagree} do not: "
           f"{100 * agree / (agree + disagree):.1f} %.", ""]
    for pair, (title, reason) in REASONS.items():
        if found[pair]:
            out += [f"### {title}: {len(found[pair])}", "", reason, "", listed(found[pair]) + ".", ""]
    return "\n".join(out).rstrip() + "\n", agree / (agree + disagree)


def check_weak_chips(checks):
    """Rows say that the pages cover almost nothing of a chip where they leave most of its names open, and nowhere else."""
    names = all_names()
    said = {chip for row in names for on in row["on"] if on.get("why", "").startswith("the pages cover almost nothing") for chip in on["chips"]}
    open_names = {chip["name"]: sum(on_chip(row, chip["name"])["forward"] == "unknown" for row in names) for chip in load("operators/chips.json")["chips"]}
    checks.equal(said, {chip for chip, count in open_names.items() if count > len(names) / 2}, "chips of which the pages cover almost nothing")


def main():
    checks = Checks()
    text, share = page()
    if "--fix" in sys.argv:
        PAGE.write_text(text)
    checks.equal(PAGE.read_text() if PAGE.exists() else "", text, "docs/reference/operators.md; write it with operators_page.py --fix")
    checks.expect(share >= LEAST_AGREEMENT, f"the operators agree with {share:.3f} of the pages; it was {LEAST_AGREEMENT}")
    check_weak_chips(checks)
    checks.finish()


if __name__ == "__main__":
    main()
