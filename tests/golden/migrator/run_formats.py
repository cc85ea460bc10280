"""All formats of the report, on one project of all inputs: of the golden cases, of the rules' cases, and of hostile names.

What scripts read is read as they read it: the fixes of SARIF give the migrated files, the diff is applied by git, cells of CSV are no
formulas, JUnit's file is XML. What is written can be undone and applied again.
"""

import csv
import io
import json
import re
import shutil
import sys
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402
from golden_cases import check_apply, check_git_apply, check_page, check_schema, compare_trees, tree  # noqa: E402

CASES = Path(__file__).resolve().parent / "cases"
HOSTILE = {"=cmd|'x'!A1.py": "import torch\n", "a,b\n::error::c.py": "import torch\n", "<script>alert(1)<\\script>.py": "import torch\n",
           "größe 数 %41.py": "import torch\ns = '𝔘数'; torch.cuda.synchronize(); t = 'é'; torch.cuda.empty_cache()\n",
           "+plus.py": "import torch\n@torch.jit.ignore\ndef f(): '''=1+1''', torch.cuda.init()\n"}


def make_project(project):
    for case in sorted(path for path in CASES.iterdir() if path.is_dir()):
        shutil.copytree(case / "in", project / "golden" / case.name, symlinks=True)
    for path in sorted((ROOT / "rules").glob("*/cases/**/*")):
        if path.is_file() and ".expected" not in path.name and path.parent.parent.name != "models":
            target = project / "rules" / path.parent.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for name, text in HOSTILE.items():
        (project / name).write_text(text + "torch.cuda.synchronize()\n")


def findings_of(report):
    return [(file, finding) for file in report["files"] for finding in file["findings"]]


def after_fixes(text, replacements):
    """The text after SARIF's replacements: lines from 1, columns in code points from 1."""
    lines = [0] + [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
    out, done = [], 0
    for (first, begin, last, end), inserted in sorted(replacements):
        out += [text[done:lines[first - 1] + begin - 1], inserted]
        done = lines[last - 1] + end - 1
    return "".join(out) + text[done:]


def check_sarif(checks, work, report):
    log = json.loads((work / "out_report/report.sarif").read_text())
    state = {finding["id"]: (file, finding["state"]) for file, finding in findings_of(report)}
    results = log["runs"][0]["results"]
    checks.equal(len(results), len(state), "SARIF: results")
    made = {}
    for result in results:
        file, is_made = state[result["partialFingerprints"]["migratorFinding/v1"]]
        for fix in result.get("fixes", []) if is_made == "applied" else []:
            for replacement in fix["artifactChanges"][0]["replacements"]:
                region = tuple(replacement["deletedRegion"][key] for key in ("startLine", "startColumn", "endLine", "endColumn"))
                made.setdefault(file["path"], set()).add((region, replacement["insertedContent"]["text"]))
    for result in results:
        is_made = state[result["partialFingerprints"]["migratorFinding/v1"]][1] == "applied"
        checks.equal([entry["status"] for entry in result.get("suppressions", [])], ["accepted"] * is_made, f"SARIF: suppressions of {result['ruleId']}")
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        text = rule["shortDescription"]["text"]
        checks.expect(" " in text and text != rule["id"] and rule["fullDescription"]["text"].startswith(text), f"SARIF: the text of {rule['id']}: {text}")
        checks.expect(rule.get("helpUri", "https://").startswith("https://"), f"SARIF: helpUri of {rule['id']}")
    checks.expect(any("helpUri" in rule for rule in log["runs"][0]["tool"]["driver"]["rules"]), "SARIF: no rule has a link")
    compared = 0
    for file in report["files"]:
        # Notebooks and other encodings: their texts are not the bytes.
        if file["path"] not in made or file["type"] == "notebook" or file["original"]["encoding"] != "utf-8":
            continue
        before, after = ((work / folder / file["path"]).read_bytes().decode("utf-8-sig") for folder in ("in", "out"))
        compared += checks.expect(after_fixes(before, made[file["path"]]) == after, f"SARIF: the fixes of {file['path']!r}")
    checks.expect(compared > 50, f"SARIF: fixes of {compared} files only")


def check_csv(checks, work, report):
    for path in sorted((work / "out_report").glob("**/*.csv")):
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
        checks.expect(rows and all(len(row) == len(rows[0]) for row in rows), f"{path.name}: rows of other lengths")
        formulas = [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r\n%＝＋－＠")]
        checks.equal([cell for cell in formulas if cell], [], f"{path.name}: cells that become formulas")
    rows = list(csv.reader(io.StringIO((work / "out_report/findings.csv").read_text(encoding="utf-8-sig"), newline="")))
    checks.equal(len(rows) - 1, len(findings_of(report)), "findings.csv: rows")


def check_ci(checks, work, report, github, summary):
    still_open = [(file, finding) for file, finding in findings_of(report) if finding["state"] != "applied"]
    suites = xml.etree.ElementTree.parse(work / "out_report/junit.xml").getroot()
    checks.equal(len(suites.findall("testsuite/testcase")), len(findings_of(report)), "JUnit: cases")
    checks.equal(len(suites.findall("testsuite/testcase/failure")), sum(finding["severity"] != "info" for _, finding in still_open), "JUnit: failures")
    quality = json.loads((work / "out_report/gl-code-quality-report.json").read_text())
    checks.equal([entry["fingerprint"] for entry in quality], [finding["id"] for _, finding in still_open], "GitLab: fingerprints")
    for entry in quality:
        checks.expect(set(entry) == {"description", "check_name", "fingerprint", "severity", "location"} and entry["location"]["lines"]["begin"] >= 1
                      and entry["severity"] in ("info", "minor", "major", "critical", "blocker"), f"GitLab: {entry}")
    *lines, last = github.splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"::(error|warning|notice) file=[^,:]+,line=\d+,endLine=\d+,title=[^,:]+::.+", line)]
    checks.equal(wrong[:3], [], "GitHub: lines that are no commands")
    # No more than GitHub shows, the most severe first; the summary is a notice as well.
    checks.equal([line.split(" ")[0] for line in lines], ["::error"] * 10 + ["::warning"] * 10 + ["::notice"] * 9, "GitHub: the lines that are shown")
    counts = [sum(finding["severity"] == severity for _, finding in still_open) for severity in ("error", "warning", "info")]
    checks.equal(last, "::notice title=migrator::open: {} errors, {} warnings, {} notices; at most 10 of each kind are shown here".format(*counts), "GitHub: the summary")
    checks.expect(summary.startswith("# written before\n# Migration report: `in`\n\n") and "## By kind" in summary and len(summary) < 20000, f"the step summary: {summary[:300]}")


def check_records(checks, migrator, work):
    """Migrated in place and undone; the record of the copy merged into the sources that it came from."""
    project = tree(work / "in")
    run_ok(checks, migrator, "migrate", "in", "--in-place", "-q", cwd=work)
    in_place = tree(work / "in")
    checks.expect(all(in_place[name] == content for name, content in tree(work / "out").items() if not content.startswith(b"-> ")), "in place: not as the copy")
    run_ok(checks, migrator, "undo", "in/.migrator/applied", cwd=work)
    compare_trees(checks, project, tree(work / "in"), "undo")
    run_ok(checks, migrator, "reapply", "out_report/applied", "-o", "merged", cwd=work)
    compare_trees(checks, tree(work / "out"), tree(work / "merged"), "reapply")


def main():
    checks = Checks()
    migrator = tool("migrator")
    with temporary_directory() as directory:
        work = Path(directory)
        make_project(work / "in")
        formats = "html,json,diff,markdown,csv,transplant,sarif,gitlab,junit,github"
        (work / "summary.md").write_text("# written before\n")
        done = run("env", f"GITHUB_STEP_SUMMARY={work / 'summary.md'}", migrator, "migrate", "in", "-o", "out", "-q", "--format", formats, cwd=work)
        if checks.equal(done.returncode, 0, f"migrate: {done.stderr}"):
            report = json.loads((work / "out_report/report.json").read_text())
            check_schema(checks, report)
            check_page(checks, (work / "out_report/report.html").read_text(), (work / "out_report/report.json").read_text())
            check_git_apply(checks, work, "out")
            check_sarif(checks, work, report)
            check_csv(checks, work, report)
            check_ci(checks, work, report, done.stdout, (work / "summary.md").read_text())
            check_records(checks, migrator, work)
            check_apply(checks, migrator, work, report)
    checks.finish()


if __name__ == "__main__":
    main()
