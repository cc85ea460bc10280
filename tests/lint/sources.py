"""Checks the sources of the rules: what they name stands in rules/sources.json, where a reader finds it, and what has none is counted."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402

REGISTRY = "rules/sources.json"
NO_RULES = re.compile(r"^rules/(schema|translations)/|/cases/")
FIELDS = {"title", "url", "version", "read"}
URL = re.compile(r"https://[^\s/]+\.[^\s/]+(/\S*)?")
DAY = re.compile(r"20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
# How many facts have no source, or none for a part of them. It only falls.
UNVERIFIED = 11


def citations(source):
    """A text has several behind semicolons; a list has one in each item, whose text may have semicolons."""
    return source.split("; ") if isinstance(source, str) else source


def sources(value):
    """The sources in a rule file, each a text or a list of texts."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "source":
                yield item
            yield from sources(item)
    elif isinstance(value, list):
        for item in value:
            yield from sources(item)


def check_registry(checks, registry):
    for key, entry in registry.items():
        where = f"{REGISTRY}: {key}"
        checks.expect(": " not in key and "; " not in key and key != "unverified", f"{where}: not a name that a rule could cite")
        if checks.expect(isinstance(entry, dict) and set(entry) == FIELDS, f"{where}: has to have title, url, version and read"):
            checks.expect(all(isinstance(text, str) and text.strip() for text in entry.values()), f"{where}: something is empty")
            checks.expect(URL.fullmatch(entry["url"]), f"{where}: {entry['url']} is not a https address")
            checks.expect(DAY.fullmatch(entry["read"]), f"{where}: {entry['read']} is neither a day nor a month")


def main():
    checks = Checks()
    registry = json.loads((ROOT / REGISTRY).read_text(encoding="utf-8"))["sources"]
    check_registry(checks, registry)
    cited = set()
    unverified = []
    for name in tracked_files():
        if not name.startswith("rules/") or not name.endswith(".json") or NO_RULES.search(name) or name == REGISTRY:
            continue
        for source in sources(json.loads((ROOT / name).read_text(encoding="utf-8"))):
            keys = [citation.split(": ", 1)[0] for citation in citations(source)]
            for key in keys:
                checks.expect(key in registry or key == "unverified", f"{name}: \"{key}\" is not in {REGISTRY}; cite a name of it, or add one")
            cited.update(keys)
            if "unverified" in keys:
                unverified.append(f"{name}: {source}")
    for key in registry:
        checks.expect(key in cited, f"{REGISTRY}: {key} is cited by no rule; remove it")
    if len(unverified) > UNVERIFIED:
        print("\n".join(unverified))
    checks.expect(len(unverified) <= UNVERIFIED, f"{len(unverified)} facts have no source, {UNVERIFIED} are allowed: give the new ones a source")
    checks.expect(len(unverified) >= UNVERIFIED,
                  f"{len(unverified)} facts have no source, {UNVERIFIED} are allowed: lower UNVERIFIED in tests/lint/sources.py")
    checks.finish()


if __name__ == "__main__":
    main()
