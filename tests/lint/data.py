"""Checks that the JSON files below rules/, templates/ and tests/ parse and name no key twice in an object."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402

# Broken on purpose.
BAD_ON_PURPOSE = re.compile(r"/(bad|broken|hostile)[^/]*/")


def unique(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"the key \"{key}\" appears twice in one object")
        seen[key] = value
    return seen


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def main():
    checks = Checks()
    for name in tracked_files():
        if not name.endswith((".json", ".ipynb")) or BAD_ON_PURPOSE.search(name):
            continue
        try:
            json.loads((ROOT / name).read_text(encoding="utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
            checks.passed += 1
        except ValueError as problem:
            checks.expect(False, f"{name}: {problem}")
    checks.finish()


if __name__ == "__main__":
    main()
