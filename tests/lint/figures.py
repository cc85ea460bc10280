"""The section on campaigns of docs/reference/verified.md follows from tests/faults/figures.json, which has a row for each name that a
campaign has.

    figures.py [--fix]      --fix writes the section
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "faults"), str(TESTS / "fuzz")]
import campaign  # noqa: E402
import figures  # noqa: E402
import programs  # noqa: E402
from checks import Checks  # noqa: E402


def names():
    """By campaign: what must have a row."""
    return {"faults": [job.name for job in campaign.jobs()], "mutations": list(programs.READERS)}


def main():
    if "--fix" in sys.argv:
        figures.write_page()
    checks, found, wanted = Checks(), figures.read(), names()
    checks.equal(sorted(wanted), sorted(figures.CAMPAIGNS), "campaigns whose names are known")
    checks.equal(sorted(found), sorted(figures.CAMPAIGNS), "campaigns with figures")
    for campaign_name, rows in found.items():
        missing = set(wanted.get(campaign_name, ())) - {row[0] for row in rows["rows"]}
        checks.expect(not missing, f"{campaign_name}: no figures of {sorted(missing)}; run the campaign with --record")
        strange = {row[0] for row in rows["rows"]} - set(wanted.get(campaign_name, ()))
        checks.expect(not strange, f"{campaign_name}: figures of {sorted(strange)}, which it does not run")
    checks.expect(figures.PAGE.read_text().endswith("\n" + figures.section()),
                  "verified.md does not say what figures.json has: tests/lint/figures.py --fix")
    checks.finish()


if __name__ == "__main__":
    main()
