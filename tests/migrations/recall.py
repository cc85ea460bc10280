"""How much of what a person changed for the NPU `migrator` does, offers or reports: five small projects, and what became of each by hand.

    recall.py            checks recall.json
    recall.py --update   writes it; tests/coverage/coverage.py --update then writes the page

NAME/original is the project, NAME/by_hand what a person made of it. A hunk of their difference has a class, which a comment
`hand: CLASS` in its new lines names; what has none is of no interest. It counts as

    done      when a fix that `migrate` applies is on its lines,
    offered   when one of `--affinity --apply review` is,
    reported  when a finding of a rule of its class (classes.json) is within two lines of it, or is said elsewhere once for the project,
    missed    else.
"""

import argparse
import difflib
import json
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from checks import Checks, run_ok, temporary_directory, tool  # noqa: E402

RECALL = HERE / "recall.json"
OUTCOMES = ("done", "offered", "reported", "missed")
NEAR = 2
MARK = re.compile(r"\s*# hand: ([\w.]+)")


def hunks(original, by_hand):
    """(first line, one past the last, classes) of each changed place, lines counted from 1 in the original."""
    old, new = original.read_text().splitlines(), by_hand.read_text().splitlines()
    plain = [MARK.sub("", line) for line in new]
    for tag, begin, end, new_begin, new_end in difflib.SequenceMatcher(None, old, plain, autojunk=False).get_opcodes():
        classes = [mark for line in new[new_begin:new_end] for mark in MARK.findall(line)] if tag != "equal" else []
        if classes:
            yield begin + 1, max(end, begin + 1) + 1, sorted(set(classes))


def findings_of(checks, migrator, project, work, *options):
    output = work / f"out{len(options)}"
    if not run_ok(checks, migrator, "migrate", project, "-o", output, "--report", f"{output}_report", "--format", "json", *options):
        return {}
    report = json.loads((Path(f"{output}_report") / "report.json").read_text())
    return {file["path"]: file["findings"] for file in report["files"]}


def is_on(finding, first, end):
    return finding["begin"]["line"] < end and finding["end"]["line"] >= first


def outcome(name, path, first, end, rules, safe, review):
    def of(findings):
        wanted = [finding for finding in findings.get(path, []) if finding["rule"].startswith(tuple(rules))] if rules else []
        return [finding for finding in wanted if is_on(finding, first - NEAR, end + NEAR)]

    def applied(findings):
        return any(finding["state"] == "applied" and is_on(finding, first - 1, end) for finding in of(findings))

    if name == "import":  # comes with the fix that needs it
        return "done" if any(finding["state"] == "applied" for finding in safe.get(path, [])) else "missed"
    if applied(safe):
        return "done"
    if applied(review):
        return "offered"
    once = any(finding["rule"].startswith(tuple(rules)) for findings in safe.values() for finding in findings)
    return "reported" if of(safe) or once else "missed"


def measure(checks):
    classes = json.loads((HERE / "classes.json").read_text())
    counts = {}
    migrator = tool("migrator")
    for project in sorted(path.parent for path in HERE.glob("*/original")):
        with temporary_directory() as directory:
            safe = findings_of(checks, migrator, project / "original", Path(directory))
            review = findings_of(checks, migrator, project / "original", Path(directory), "--affinity", "--apply", "review")
        for original in sorted((project / "original").rglob("*.py")):
            path = str(original.relative_to(project / "original"))
            for first, end, names in hunks(original, project / "by_hand" / path):
                for name in names:
                    if checks.expect(name in classes, f"{project.name}/{path}:{first}: classes.json has no {name}"):
                        found = outcome(name, path, first, end, classes[name], safe, review)
                        counts.setdefault(name, Counter())[found] += 1
    return {name: {key: counts[name][key] for key in OUTCOMES} for name in sorted(counts)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write recall.json")
    update = parser.parse_args().update
    checks = Checks()
    measured = measure(checks)
    if update:
        RECALL.write_text(json.dumps(measured, indent=1) + "\n")
    checks.equal(json.loads(RECALL.read_text()) if RECALL.exists() else {}, measured, "recall.json; recall.py --update writes it")
    checks.finish()


if __name__ == "__main__":
    main()
