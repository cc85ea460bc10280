"""Flows of the report's page that report_page.py drives: all that a mouse does in both views, what is said in Chinese, and what
few meet: no room in the browser, a new file, a page that is left while it saves."""

import base64
import gzip
import json
import re
import shutil
import time

from checks import ROOT, run_ok

# A click as a mouse makes it; `text`: of the first element with the selector that contains it.
CLICK = """((selector, text, shift) => {
  const found = [...document.querySelectorAll(selector)].find((element) => element.textContent.includes(text));
  found?.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: shift}));
  return Boolean(found);
})"""


def click(checks, browser, selector, text="", shift=False):
    done = browser.js(f"{CLICK}({json.dumps(selector)}, {json.dumps(text)}, {json.dumps(shift)})")
    checks.expect(done, f"nothing to click: {selector} with {text!r}")


def set_filter(browser, name, value):
    browser.js(f"(() => {{ const field = document.getElementById('filter-{name}'); field.value = {json.dumps(value)};"
               " field.dispatchEvent(new Event('change', {bubbles: true})); })()")


def all_text(browser, selector):
    return json.loads(browser.js(f"JSON.stringify([...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent))"))


def text(browser, selector):
    return (all_text(browser, selector) or [None])[0]


def filters(browser):
    """What the filters of the review say, by name, without those that say nothing."""
    return json.loads(browser.js("JSON.stringify(Object.fromEntries([...document.querySelectorAll('[id^=filter-], #search')].filter((field) => field.value)"
                                 ".map((field) => [field.id.replace('filter-', ''), field.value])))"))


def analysed(checks, migrator, work, *options):
    run_ok(checks, migrator, "analyze", "in", "--report", "review", "-q", *options, cwd=work)
    return json.loads((work / "review/report.json").read_text(encoding="utf-8"))


def overview_links(checks, migrator, work, browser_of):
    """Every link of the overview leads to the findings that it speaks of; the picture goes down, up, and to its rest."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    for number in range(30):
        (work / f"in/part_{number}.py").write_text("import torch\nimport flash_attn\ntorch.cuda.synchronize()\n")
    (work / "in/requirements-more.txt").write_text("asked_lib\nclick\n")
    (work / "in/many_calls.py").write_text("import torch\nimport somelib\n" + 4 * "y = torch.ops.gpt_ops.bias_gelu(torch.zeros(1), torch.zeros(1))\n")
    report = analysed(checks, migrator, work)
    findings = {finding["id"]: (file["path"], finding) for file in report["files"] for finding in file["findings"]}
    operator = next(row for row in report["operators"] if row["bindings"])
    package = next(row for row in report["third_party"] if len(row["places"]) > 3)
    blocking = next(action for action in report["actions"] if action["severity"] == "error")
    with browser_of("overview") as browser:
        browser.open(work / "review/report.html")

        def leads(selector, label, wanted, chosen=None):
            browser.press("o")
            click(checks, browser, selector, label)
            checks.equal(filters(browser), wanted, f"{selector} {label}: the filters")
            if chosen:
                checks.equal(browser.js("document.querySelector('.finding-row.chosen')?.id"), f"f-{chosen}", f"{selector} {label}: the finding")

        rows = json.loads(browser.js("""JSON.stringify([...document.querySelectorAll("section[aria-label='Packages that no rule knows'] tbody tr")]
            .map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent)))"""))
        checks.equal(rows, [[row["package"], "imported" if row["imported"] else "asked for"] for row in report["unknown_packages"]], "packages that no rule knows")
        checks.equal([row[0] for row in rows], ["somelib", "asked_lib"], "packages of the project that no rule knows")
        leads("section[aria-label='By kind'] .link", "Distributed back end", {"kind": "backend"})
        leads(".legend button", "Can be rewritten", {"bucket": "available"})
        leads(".facts .fact", "To review", {"bucket": "review"})
        leads(".actions .mono.link", report["actions"][0]["place"], {}, report["actions"][0]["finding_id"])
        leads(".actions .link:not(.mono)", "more", next(
            {"rule": row["rule"], **({"search": row["subjects"][0]} if row["kind"] == "third_party" else {})} for row in report["actions"] if row["findings"] > 1))
        leads("section[aria-label='Third-party packages'] .link.mono", package["places"][0], {}, package["finding_ids"][0])
        leads("section[aria-label='Third-party packages'] .link:not(.mono)", "more", {"kind": "third_party", "search": package["package"]})
        leads("section[aria-label='Custom operators'] .link.mono", operator["bindings"][0]["place"], {}, operator["finding_id"])
        leads("section[aria-label='Custom operators'] .link:not(.mono)", "more", {}, operator["finding_id"])
        browser.press("o")
        first = text(browser, ".figure .short .link")
        click(checks, browser, ".figure .short .link")
        shown = filters(browser)
        checks.equal((shown.get("bucket"), shown.get("rule")), ("review", blocking["rule"]), f"what blocks: {first}")
        browser.press("o")
        click(checks, browser, ".figure p > .link")
        checks.equal(filters(browser).get("bucket"), "review", "what first")

        browser.press("o")
        rest = next(name for name in all_text(browser, ".tile .mono") if "more" in name or "others" in name)
        click(checks, browser, ".tile", rest)
        checks.equal(filters(browser), {}, "the rest of the picture is the whole folder")
        browser.press("o")
        click(checks, browser, ".tile", "gpt")
        click(checks, browser, ".crumbs .link", "Project")
        checks.expect(any(name.startswith("part_") for name in all_text(browser, ".tile .mono")), "the way up in the picture")
        click(checks, browser, ".tile", "gpt")
        click(checks, browser, ".crumbs .link", "Review this folder")
        checks.equal(filters(browser), {"folder": "gpt"}, "the folder of the picture")
        checks.expect(all(name.startswith("gpt/") for name in all_text(browser, ".finding-row .path-parts")), "findings of other folders")

        click(checks, browser, "#tab-overview")
        checks.equal(text(browser, ".tab[aria-current]"), "Overview", "the tab")
        click(checks, browser, "#help")
        click(checks, browser, "dialog button", "Close")
        browser.wait_for("!document.querySelector('dialog')")
        browser.js("window.print = () => { window.asked_to_print = true; }")
        click(checks, browser, "#print")
        checks.expect(browser.js("window.asked_to_print"), "the button prints")
        browser.js("document.getElementById('import').click = () => { window.asked_for_file = true; }")
        click(checks, browser, ".top-buttons button", "Import")
        checks.expect(browser.js("window.asked_for_file"), "the button asks for a file")
        click(checks, browser, ".skip")
        checks.equal(browser.js("document.activeElement.id"), "main", "where the skip link leads")
        click(checks, browser, "#apply")
        click(checks, browser, "#apply-copy")
        browser.wait_for("document.querySelector('.toast').textContent === 'Copied'")
        click(checks, browser, "dialog.apply .buttons button", "Close")
        browser.wait_for("!document.querySelector('dialog')")
        checks.expect(len(findings) > 100, f"{len(findings)} findings")
        checks.equal(browser.errors, [], "overview links: errors of the console")


def by_mouse(checks, migrator, work, browser_of):
    """The review without a keyboard, and the keys that other flows leave out."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    (work / "in/wide.py").write_text("import torch\n" + "x = 1; " * 60 + "torch.cuda.synchronize(); torch.cuda.empty_cache()\n")
    report = analysed(checks, migrator, work)
    tasks = sum(finding["severity"] != "info" and finding["state"] not in ("applied", "available") for file in report["files"] for finding in file["findings"])
    selected = "document.querySelectorAll('.finding-row[aria-selected=true]').length"
    with browser_of("mouse") as browser:
        browser.open(work / "review/report.html")
        click(checks, browser, "#tab-review")
        rows = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.finding-row')].map((row) => row.id))"))
        click(checks, browser, f"#{rows[3]}")
        checks.equal(browser.js("document.querySelector('.finding-row.chosen').id"), rows[3], "the row that was clicked")
        browser.press("k")
        checks.equal(browser.js("document.querySelector('.finding-row.chosen').id"), rows[2], "k")
        click(checks, browser, f"#{rows[0]} .box")
        click(checks, browser, f"#{rows[4]} .box", shift=True)
        checks.equal(browser.js(selected), 5, "a range of rows")
        click(checks, browser, f"#{rows[4]} .box")
        browser.press("x")
        checks.equal(browser.js(selected), 3, "taken out again: by mouse, and the chosen one by x")
        for _ in range(2):
            click(checks, browser, "#select-shown")
        checks.equal(browser.js(selected), 0, "all that is shown, and none")
        group = browser.js("document.querySelector('.group-row .muted.small').textContent")
        click(checks, browser, ".group-row .box")
        of_group = browser.js("(() => { let n = 0; for (let row = document.querySelector('.group-row').nextElementSibling; row && row.classList.contains('finding-row'); row = row.nextElementSibling) ++n; return n; })()")
        checks.equal(browser.js("[...document.querySelectorAll('.finding-row')].slice(0, %d).every((row) => row.getAttribute('aria-selected') === 'true')" % of_group), True, f"all of the group: {group}")
        click(checks, browser, ".group-row .box")
        click(checks, browser, ".group-row")
        checks.expect(text(browser, ".group-row").startswith("▸"), "a group that was clicked is folded")
        click(checks, browser, ".group-row")

        for order, key in (("most", lambda groups: [-count for _, count in groups]), ("path", None)):
            browser.js(f"(() => {{ const field = document.getElementById('order-sort'); field.value = '{order}'; field.dispatchEvent(new Event('change', {{bubbles: true}})); }})()")
            if key:
                counts = browser.js("JSON.stringify([...document.querySelectorAll('.group-row .muted.small')].map((one) => Math.max(...one.textContent.match(/[0-9]+/g).map(Number))))")
                checks.equal(json.loads(counts), sorted(json.loads(counts), reverse=True), "groups by their number")
        browser.js("(() => { const field = document.getElementById('order-group'); field.value = 'file'; field.dispatchEvent(new Event('change', {bubbles: true})); })()")
        paths = [name.split("▾")[-1] for name in all_text(browser, ".group-row .path-parts")]
        checks.equal(paths, sorted(paths, key=[file["path"] for file in report["files"]].index), "groups by path")

        click(checks, browser, ".decide-bar [data-decision=wont_do]")
        click(checks, browser, "dialog button", "Cancel")
        browser.wait_for("!document.querySelector('dialog')")
        checks.equal(text(browser, "#progress"), f"0 of {tasks} settled", "a reason that was cancelled")
        browser.press("n")
        click(checks, browser, ".decide-bar [data-decision=done]")
        checks.equal(text(browser, "#progress"), f"1 of {tasks} settled", "decided by mouse")
        set_filter(browser, "decision", "open")
        first, second = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.finding-row')].slice(0, 2).map((row) => row.id))"))
        click(checks, browser, f"#{first}")
        click(checks, browser, ".decide-bar [data-decision=done]")
        checks.equal(browser.js(f"[document.getElementById('{first}'), document.querySelector('.finding-row.chosen').id]"), [None, second], "decided, so shown no more")
        set_filter(browser, "decision", "")
        browser.press("/")
        checks.equal(browser.js("document.activeElement.id"), "search", "/")
        browser.press("Escape")

        # Two findings of one line lead to each other; a long line moves by wheel and keys.
        two = [finding["id"] for file in report["files"] if file["path"] == "wide.py" for finding in file["findings"]]
        browser.js(f"location.hash = '#finding-{two[0]}'")
        browser.wait_for("document.querySelector('.detail .path').textContent.startsWith('wide.py:2')")
        browser.frames(3)
        click(checks, browser, ".line-row.chosen .pin")
        checks.expect(browser.js("document.querySelector('.finding-row.chosen').id") in [f"f-{id}" for id in two[1:]], "the other finding of the line")
        browser.frames(3)
        at = browser.js("(() => { const bar = document.querySelector('.shifter'); bar.scrollLeft = 100; return bar.scrollLeft; })()")
        browser.js("document.querySelector('#sides').dispatchEvent(new WheelEvent('wheel', {deltaX: 30, bubbles: true}))")
        browser.js("document.querySelector('#sides').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
        checks.equal((at, browser.js("document.querySelector('.shifter').scrollLeft")), (100, 170), "by wheel and key")
        browser.js("document.querySelector('#sides').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))")
        checks.equal(browser.js("document.querySelector('.shifter').scrollLeft"), 130, "back by key")

        browser.js("localStorage.setItem = () => { throw new Error('full'); }; Storage.prototype.setItem = () => { throw new Error('full'); }")
        browser.press("d")
        checks.expect("no room" in text(browser, "#saved"), f"without room: {text(browser, '#saved')}")
        checks.equal(browser.errors, [], "by mouse: errors of the console")


def said_in_chinese(checks, migrator, work, browser_of):
    """What the page says of decisions is Chinese on the Chinese page, also of imported ones, of a folder, of a baseline."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    for number in range(30):
        (work / f"in/part_{number}.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    run_ok(checks, migrator, "analyze", "in", "--report", "old", "-q", cwd=work)
    (work / "in/part_30.py").write_text("import bitsandbytes\n")
    report = analysed(checks, migrator, work, "--baseline", "old/report.json")
    baseline = report["baseline"]
    in_gpt = sum(len(file["findings"]) for file in report["files"] if file["path"].startswith("gpt/"))
    (work / "folder.json").write_text(json.dumps({"schema": "migrator-decisions/1", "decisions": [{"folder": "gpt", "comment": "later"}, {"finding": "0" * 16, "decision": "done"}]}))
    with browser_of("chinese") as browser:
        browser.open(work / "review/report.html")
        browser.click("#language")
        checks.expect(f"新增 {baseline['new']} 个问题，消除 {baseline['gone']} 个。" in text(browser, ".overview"), "the trend")
        checks.expect(any(name.startswith("其他 ") for name in all_text(browser, ".tile .mono")), "the rest of the picture")
        browser.press("vf")
        checks.equal(text(browser, ".toast"), "1 个已手工处理 撤销", "a decision")
        checks.equal(text(browser, "#origin"), "此浏览器中有 1 个处理结果 重置", "whose decisions")
        click(checks, browser, "#toast-action")
        checks.equal(text(browser, ".toast"), "已撤销 1 个", "undone")
        browser.press("f")
        browser.press("e")
        checks.equal(text(browser, ".toast"), "已导出 1 个处理结果", "exported")
        checks.expect("得到页面上“修改后”的内容：" in text(browser, "dialog"), "what apply does")
        time.sleep(1.1)  # until the page lets go of the exported file
        browser.js("document.querySelector('dialog').close()")
        click(checks, browser, "#reset")
        checks.equal(text(browser, ".toast"), "已移除 1 个处理结果 撤销", "reset")
        give_file(browser, "#import", work / "folder.json")
        browser.wait_for("document.querySelector('.toast').textContent.startsWith('已导入')")
        checks.equal(text(browser, ".toast"), f"已导入 {in_gpt} 个处理结果，1 个属于其他报告 撤销", "imported: of a folder, and of another report")
        checks.equal(text(browser, "#origin"), f"{in_gpt} 个处理结果，导入自 folder.json 重置", "whose decisions, after the import")
        checks.equal(browser.errors, [], "said in Chinese: errors of the console")


def bound(checks, migrator, work, browser_of):
    """Findings whose edits became one: where one is rejected, the other is not made either."""
    (work / "in").mkdir()
    (work / "in/a.py").write_text("import torch\ntorch.cuda.synchronize()\ntorch.cuda.empty_cache()\n")
    first, second = (finding["id"] for finding in analysed(checks, migrator, work)["files"][0]["findings"])
    page = work / "review/report.html"
    kept, data, rest = re.fullmatch(r'(.*id="report-data">)([^<]*)(<.*)', page.read_text(encoding="utf-8"), re.S).groups()
    report = json.loads(gzip.decompress(base64.b64decode(data)))
    for finding, other in zip(report["files"][0]["findings"], (second, first)):
        finding["together"] = [other]
    page.write_text(kept + base64.b64encode(gzip.compress(json.dumps(report).encode())).decode() + rest, encoding="utf-8")
    after = "#sides .side.new .text"
    with browser_of("bound") as browser:
        browser.open(page.as_uri() + f"#finding-{first}")
        browser.frames(3)
        checks.expect("torch.npu.synchronize()" in all_text(browser, after) and "torch.npu.empty_cache()" in all_text(browser, after), f"both: {all_text(browser, after)}")
        browser.js(f"location.hash = '#finding-{second}'")
        browser.frames(3)
        browser.press("r")
        browser.js(f"location.hash = '#finding-{second}'")
        browser.frames(3)
        checks.equal([line for line in all_text(browser, after) if ".npu." in line], [], "after one of them was rejected")
        checks.equal(browser.errors, [], "bound: errors of the console")


def served_in_chinese(checks, migrator, work, browser_of, serve):
    """A served page says whose decisions it shows, and asks before it is left while it saves; a new file is shown as one."""
    shutil.copytree(ROOT / "samples/gpt_train", work / "in")
    report = analysed(checks, migrator, work, "--style", "portable")
    new_file = next(file for file in report["files"] if "original" in file and file["original"]["sha256"] is None)
    with serve(migrator, work) as server, browser_of("served") as browser:
        browser.open(f"http://{server.host}/{server.token}/")
        browser.click("#language")
        browser.press("v")
        asked = browser.js("""(() => {
          document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'f', bubbles: true}));
          const leaving = new Event('beforeunload', {cancelable: true});
          dispatchEvent(leaving);
          document.getElementById('apply').click();
          document.getElementById('apply-now').click();
          return leaving.defaultPrevented;
        })()""")
        checks.equal(asked, True, "a page that is left while it saves")
        checks.equal(text(browser, "#origin"), "decisions.json 中有 1 个处理结果 重置", "whose decisions")
        browser.wait_for("document.getElementById('apply-result').textContent.includes('applied')")
        checks.expect((work / "in_migrated" / new_file["path"]).exists(), "applied at once after a decision")
        checks.equal(browser.js("(() => { const leaving = new Event('beforeunload', {cancelable: true}); dispatchEvent(leaving); return leaving.defaultPrevented; })()"), False, "a page that has saved")
        browser.js("document.querySelector('dialog').close()")
        browser.js(f"location.hash = '#finding-{new_file['findings'][0]['id']}'")
        browser.wait_for(f"document.querySelector('.detail .path').textContent.startsWith({json.dumps(new_file['path'])})")
        browser.frames(3)
        checks.equal(all_text(browser, "#sides .side.old .text"), [], "a new file has nothing before")
        checks.equal(all_text(browser, "#sides .side.new .text")[:2], new_file["edits"][0]["new_text"].split("\n")[:2], "the new file")
        checks.equal(browser.errors, [], "served in Chinese: errors of the console")


def give_file(browser, selector, path):
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    field = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=field, files=[str(path)])
