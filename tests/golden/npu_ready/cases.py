"""Projects that support the NPU by themselves, in whole or in part, and questions for CUDA: what may be edited, and what may be said.

    cases.py [NAME...]

Each case is a folder of cases/: `in` is the project, `expect.json` what is right:
* `files`: by path and line a letter, and a text. E: the line becomes the text but for its blanks in front, or one of several behind ||; U: neither edited nor reported, but for
  findings of severity info; F: an edit, a warning or an error; N: not edited; A: any.
* `rest`: U or N, for the lines that are not named. Lines that import torch_npu may come in where it is N.
* `programs`: what the report says of each, `says` its verdict and `with` how it is asked for the NPU; a name with a colon is a command's module and function.
* `project`: its `kind`; native or native_with where the verdict of the summary is native; with none and obsolete it is neither native nor partly.
* `state`: A the project does not know the NPU, B supports it, C in part, D for an old stack, E a library does it. Of B nothing is edited, and neither
  `migrate --check` nor `analyze --fail-on error` ends with 1.

wrong.json lists the cases that are not right yet, for their edits and for what is said of programs. It has to say what is so: a case of it that is right fails
as well.
"""

import difflib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402

WRONG = HERE / "wrong.json"


def lines_of(path):
    return path.read_bytes().decode("utf-8", "surrogateescape").splitlines() if path.is_file() else None


def moved(before, after):
    """By line of `before` its text afterwards, where that can be told; the lines of `before` that are another; and lines that came in."""
    text, edited, added = {}, set(), []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for offset in range(b - a):
            if kind == "equal":
                text[a + offset + 1] = after[c + offset]
                continue
            edited.add(a + offset + 1)
            # Imports stand at the beginning of what came in its place.
            at = d - (b - a) + offset
            text[a + offset + 1] = after[at] if c <= at < d else None
        if kind != "equal":
            added += after[c:max(c, d - (b - a))]
    return text, edited, added


def reported(report):
    """{(path, line)} of findings that are warnings or errors, and of the other places of what is said once."""
    told = [(file["path"], finding) for file in report["files"] for finding in file["findings"] if finding["severity"] != "info"]
    other = [place.rsplit(":", 1) for _, finding in told for place in finding.get("also", [])]
    return {(path, finding["begin"]["line"]) for path, finding in told if finding.get("begin")} | {(path, int(line)) for path, line in other}


def said_of_whole_files(report):
    return {file["path"] for file in report["files"] for finding in file["findings"] if finding["severity"] != "info" and not finding.get("begin")}


def check_file(path, want, rest, before, after, report):
    if after is None:
        return [f"{path} is not in the copy"]
    text, edited, added = moved(before, after)
    told, wrong = reported(report), []
    for number, line in enumerate(before, 1):
        letter, right = want.get(str(number), [rest, ""])
        is_told = (path, number) in told
        if letter == "E" and (text.get(number) or "").strip() not in right.split("||"):
            wrong.append(f"{path}:{number}: is {text.get(number)!r}, right: {right!r}")
        if letter == "U" and (number in edited or is_told):
            wrong.append(f"{path}:{number}: {'edited' if number in edited else 'reported'}: {line!r}")
        if letter == "F" and not (number in edited or is_told):
            wrong.append(f"{path}:{number}: nothing is found: {line!r}")
        if letter == "N" and number in edited:
            wrong.append(f"{path}:{number}: edited to {text.get(number)!r}")
    wrong += [f"{path}: came in: {line!r}" for line in added if not (rest == "N" and "torch_npu" in line)]
    if rest == "U" and path in said_of_whole_files(report):
        wrong.append(f"{path}: reported as a whole")
    return wrong


def check_case(folder, work):
    expect, project, out = json.loads((folder / "expect.json").read_text()), folder / "in", work / folder.name
    done = run(tool("migrator"), "migrate", project, "-o", out, "--report", f"{out}_r", "--format", "json", "--no-config", "--no-record", "-q")
    if done.returncode != 0:
        return [f"migrate: {done.returncode} {done.stderr}"]
    report = json.loads(Path(f"{out}_r/report.json").read_text())
    wrong = []
    for file in sorted(path for path in project.rglob("*") if path.is_file()):
        path = str(file.relative_to(project))
        wrong += check_file(path, expect["files"].get(path, {}), expect["rest"], lines_of(file), lines_of(out / path), report)
    if expect["state"] == "B":
        for words in (["migrate", project, "--check"], ["analyze", project, "--fail-on", "error"]):
            done = run(tool("migrator"), *words, "--no-config", "-q")
            if done.returncode != 0:
                wrong.append(f"{words[0]} {words[-1]}: {done.returncode}")
    return wrong


def check_programs(folder, work):
    expect, out, wrong = json.loads((folder / "expect.json").read_text()), work / f"{folder.name}_p", []
    done = run(tool("migrator"), "analyze", folder / "in", "--report", out, "--format", "json", "--no-config", "-q")
    if done.returncode != 0:
        return [f"analyze: {done.returncode} {done.stderr}"]
    report = json.loads((out / "report.json").read_text())
    rows = {row[key]: row for row in report["programs"] for key in ("path", "name")}
    for name, right in expect.get("programs", {}).items():
        row = rows.get(name.split(":")[0].replace(".", "/") + ".py" if ":" in name else name)
        if row is None or row["verdict"] != right["says"]:
            wrong.append(f"{name}: is {row and row['verdict']}, right: {right['says']}")
        elif right.get("with") and row["with"] != right["with"]:
            wrong.append(f"{name}: with {row['with']}, right: {right['with']}")
    verdict, kind = report["summary"]["verdict"], expect.get("project")
    if kind in ("native", "native_with") and verdict != "native":
        wrong.append(f"the verdict is {verdict}, right: native")
    if kind in ("none", "obsolete") and verdict in ("native", "partly"):
        wrong.append(f"the verdict is {verdict} for {kind}")
    found = report["project"]
    if kind and (found["state"], found["kind"]) != (expect["state"], kind):
        wrong.append(f"the project is {found['state']} {found['kind']}, right: {expect['state']} {kind}")
    return wrong


def main():
    checks, known = Checks(), json.loads(WRONG.read_text())
    folders = [folder for folder in sorted((HERE / "cases").iterdir()) if not sys.argv[1:] or folder.name in sys.argv[1:]]
    with temporary_directory() as work, ThreadPoolExecutor(2) as pool:
        for what, check in (("edits", check_case), ("programs", check_programs)):
            for folder, wrong in zip(folders, pool.map(lambda folder: check(folder, Path(work)), folders)):
                if sys.argv[1:]:
                    print(f"{folder.name}, {what}", *wrong, sep="\n    ")
                checks.expect(bool(wrong) == (folder.name in known[what]),
                              f"{folder.name}, {what}: " + ("; ".join(wrong) if wrong else "is right: take it out of wrong.json"))
    checks.finish()


if __name__ == "__main__":
    main()
