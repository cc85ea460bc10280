"""Drives the pages of `migrator compare` and `migrator profile` in headless Chromium: bars, waterfall, lanes, search, sort; hostile names; axe.

The browser is Debian's chromium, or the one that MIGRATION_BROWSER names. axe comes from a Python package that brings it.
"""

import json
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402
from checks import ROOT, Checks, run_ok, skip, temporary_directory, tool  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/golden/profiles"))
from made_cluster import Run, write  # noqa: E402

AXE = ROOT / ".venv/report_tools/axe_playwright_python/axe.min.js"
PROFILES = ROOT / "tests/golden/profiles"
SIZES = (390, 1024)
HOSTILE = "aten::<img src=x onerror=attack()></script>{{title}}${attack()}"
VIOLATIONS = ("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map((v) => "
              "[v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))")
FIRST_CELLS = "JSON.stringify([...document.querySelectorAll('table.sorted tbody tr')].filter((row) => !row.hidden).map((row) => row.cells[0].textContent))"
# Where each picture of the waterfall begins and ends, and where the next begins.
STEPS = "JSON.stringify([...document.querySelectorAll('td.picture rect')].map((bar) => [bar.className.baseVal, +bar.getAttribute('x'), +bar.getAttribute('width')]))"


def unpacked(name, work):
    with tarfile.open(PROFILES / name) as archive:
        archive.extractall(work)


def shown(work, page, size):
    browser = Browser(work / f"browser_{page.parent.name}_{size}", size=(size, 900))
    browser.open(page)
    return browser


def check_page(checks, browser, page, what):
    """It fits, asks for nothing, logs nothing; axe finds nothing."""
    checks.expect(browser.js("document.documentElement.scrollWidth <= innerWidth"), f"{what}: wider than the window")
    checks.equal(browser.requests, [page.as_uri()], f"{what}: requests")
    browser.js(AXE.read_text(encoding="utf-8") + "; true")
    for theme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        checks.equal(json.loads(browser.js(VIOLATIONS)), [], f"axe, {what}, {theme}")
    checks.equal(browser.errors, [], f"{what}: errors of the console")


def check_waterfall(checks, browser, metrics):
    """Each step begins where the one before has ended; the ends are both wholes."""
    steps = json.loads(browser.js(STEPS))
    checks.equal((steps[0][0], steps[-1][0]), ("whole", "whole"), "the ends of the waterfall")
    at = steps[0][2]
    for kind, x, width in steps[1:-1]:
        begin, end = (x, x + width) if kind == "more" else (x + width, x)
        checks.expect(abs(begin - at) < 0.1, f"a step begins at {begin} instead of {at}")
        at = end
    checks.expect(abs(at - steps[-1][2]) < 0.1, f"the steps lead to {at}, the new profile is {steps[-1][2]}")
    ratio = metrics["new"]["metrics"]["e2e_time"] / metrics["base"]["metrics"]["e2e_time"]
    checks.expect(abs(steps[-1][2] / steps[0][2] - ratio) < 1e-3, "the wholes are on one scale")


def check_table(checks, browser):
    """Search hides, a click sorts, a second one the other way."""
    every = json.loads(browser.js(FIRST_CELLS))
    browser.js("(() => { const field = document.querySelector('.tools input'); field.value = 'CONV'; field.dispatchEvent(new Event('input')); })()")
    wanted = [name for name in every if "conv" in name.lower()]
    checks.equal(json.loads(browser.js(FIRST_CELLS)), wanted, "what the search leaves")
    checks.equal(browser.js("document.querySelector('.shown').textContent"), f"{len(wanted)} / {len(every)}", "how many")
    browser.js("(() => { const field = document.querySelector('.tools input'); field.value = ''; field.dispatchEvent(new Event('input')); })()")
    values = "JSON.stringify([...document.querySelectorAll('table.sorted tbody tr')].map((row) => +row.cells[1].dataset.value))"
    button = "table.sorted thead th:nth-child(2) button"
    for direction in ("descending", "ascending"):
        browser.click(button)
        found = json.loads(browser.js(values))
        checks.equal(found, sorted(found, reverse=direction == "descending"), f"by a number, {direction}")
        checks.equal(browser.js(f"document.querySelector('{button}').parentElement.getAttribute('aria-sort')"), direction, "and it is said")
    browser.click("table.sorted thead th button")
    checks.equal(len(json.loads(browser.js(FIRST_CELLS))), len(every), "rows after sorting")


def compared(checks, migrator, work):
    """Two real profiles, in both languages and sizes."""
    unpacked("data/npu_l1_r0.tar.gz", work)
    gpu = PROFILES / "data/gpu_a100_bench.pt.trace.json.gz"
    for language, word, why in (("en", "What costs the difference", "Why operators cost more"), ("zh", "差异从何而来", "算子代价更大的原因")):
        out = work / f"compared_{language}"
        if not run_ok(checks, migrator, "compare", gpu, "npu_l1_r0_ascend_pt", "--report", out, "--lang", language, cwd=work):
            return
        metrics = json.loads((out / "comparison.json").read_text())
        for size in SIZES:
            with shown(work, out / "comparison.html", size) as browser:
                for text in (word, why):
                    checks.expect(text in browser.js("document.body.textContent"), f"{language}: {text}")
                causes = [row for row in metrics["sheets"]["OperatorCauses"]["rows"] if row[9] > 0.1 * row[4]]
                checks.expect(causes and all(f"{row[9]:.3f} ms" in browser.js("document.body.textContent") for row in causes), "time of changed formats")
                checks.equal(browser.js("document.querySelectorAll('.side').length"), 2, "a bar for each side")
                check_waterfall(checks, browser, metrics)
                check_table(checks, browser)
                check_page(checks, browser, out / "comparison.html", f"compare, {language}, {size}")


def ranks(checks, migrator, work):
    """A lane for each rank, in its pipeline, with its steps; one rank alone."""
    unpacked("cluster/four_ranks.tar.gz", work / "cluster")
    unpacked("data/npu_l1_r0.tar.gz", work / "one")
    for language, word in (("en", "Steps of all ranks"), ("zh", "所有 rank 的各步")):
        out = work / f"ranks_{language}"
        run_ok(checks, migrator, "profile", "cluster", "--report", out, "--lang", language, cwd=work)
        for size in SIZES:
            with shown(work, out / "profile.html", size) as browser:
                checks.expect(word in browser.js("document.body.textContent"), f"{language}: {word}")
                lanes = json.loads(browser.js("JSON.stringify([...document.querySelector('section').querySelectorAll('.side .name')].map((lane) => lane.textContent))"))
                checks.equal(lanes, ["rank 0", "rank 2", "rank 1", "rank 3"], "lanes, by pipeline")
                kinds = json.loads(browser.js("JSON.stringify([...document.querySelector('section').querySelectorAll('.side')].map((lane) => [...lane.querySelectorAll('rect')].map((bar) => bar.className.baseVal)))"))
                checks.expect(all(lane[0] == "computing" and lane[-1] == "free" for lane in kinds), f"pieces of lanes: {kinds}")
                check_page(checks, browser, out / "profile.html", f"ranks, {language}, {size}")
    out = work / "alone"
    run_ok(checks, migrator, "profile", "one", "-o", out, cwd=work)
    for size in SIZES:
        with shown(work, out / "profile.html", size) as browser:
            checks.expect("profile.host_bound" in browser.js("document.querySelector('.advice').textContent"), "advice")
            check_page(checks, browser, out / "profile.html", f"one rank, {size}")


def bubbles(checks, migrator, work):
    """Bubbles lie within what is not covered, and steps follow each other."""
    for rank in range(2):
        folder = work / f"pipeline/rank{rank}_ascend_pt"
        (folder / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
        (folder / f"profiler_info_{rank}.json").write_text("{}")
        (folder / "ASCEND_PROFILER_OUTPUT/step_trace_time.csv").write_text(
            "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Communication(Not Overlapped and "
            f"Exclude Receive),Preparing\n{rank},1,600,300,0,300,100,800,200,100,0\n{rank},2,600,200,0,200,200,700,300,0,0\n")
    out = work / "bubbles"
    run_ok(checks, migrator, "profile", "pipeline", "--report", out, cwd=work)
    with shown(work, out / "profile.html", 1024) as browser:
        pieces = json.loads(browser.js("JSON.stringify([...document.querySelector('.side').querySelectorAll('rect')].map((bar) => [bar.className.baseVal, +bar.getAttribute('width')]))"))
        checks.equal(pieces, [["computing", 300], ["communication", 50], ["bubble", 100], ["free", 50], ["computing", 300], ["bubble", 100], ["free", 100]], "pieces of two steps")
        checks.expect("bubble" in browser.js("document.querySelector('.side svg').getAttribute('aria-label')"), "what the lane says")


def modules(checks, migrator, work):
    """A row for each module, which the search finds, with the figures of the sheet."""
    for name in ("npu_l1_r0", "npu_l1_r1"):
        unpacked(f"data/{name}.tar.gz", work)
    for language, word in (("en", "Modules"), ("zh", "模块")):
        out = work / f"modules_{language}"
        run_ok(checks, migrator, "compare", "npu_l1_r0_ascend_pt", "npu_l1_r1_ascend_pt", "--report", out, "--lang", language, cwd=work)
        sheet = json.loads((out / "comparison.json").read_text())["sheets"]["ModuleCompareStatistic"]["rows"]
        totals = [row for row in sheet if row[4] == "[ TOTAL ]"]
        section = f"[...document.querySelectorAll('section')].find((one) => one.querySelector('h2').textContent === '{word}')"
        for size in SIZES:
            with shown(work, out / "comparison.html", size) as browser:
                rows = json.loads(browser.js(f"JSON.stringify([...{section}.querySelectorAll('tbody tr')].map((row) => [row.cells[0].textContent, "
                                             "...[...row.cells].slice(1).map((cell) => +cell.dataset.value)]))"))
                checks.equal([row[0] for row in rows], [row[3] for row in totals], "modules")
                for shown_row, row in zip(rows, totals):
                    wanted = [row[8], row[7], row[12], row[11], row[12] - row[8], row[10] - row[6]]
                    checks.expect(all(abs(a - b) < 1e-9 for a, b in zip(shown_row[1:], wanted)), f"{row[3]}: {shown_row}, {wanted}")
                browser.js(f"(() => {{ const field = {section}.querySelector('input'); field.value = 'relu'; field.dispatchEvent(new Event('input')); }})()")
                left = browser.js(f"[...{section}.querySelectorAll('tbody tr')].filter((row) => !row.hidden).length")
                checks.equal(left, len([row for row in totals if "relu" in row[3].lower()]), "what the search leaves")
                check_page(checks, browser, out / "comparison.html", f"modules, {language}, {size}")


def cluster(checks, migrator, work):
    """Lanes of micro-batches, tokens of experts and slow links; on paper too."""
    speeds = {(a, b): 4.0 if 1 in (a, b) else 20.0 for a in range(4) for b in range(4)}
    write(Run(2, 4, 4, forward=(10_000,) * 2, backward=(20_000,) * 2, links=speeds, steps=1,
              tokens=lambda rank, number: 1000 + 700 * (rank % 4 == 2) + 10 * number), work / "made")
    for language, words in (("en", ("Micro-batches in pipelines", "Tokens of experts", "Least even passes through the experts of ranks 4, 5, 6, 7", "Slow links", "certain")),
                            ("zh", ("流水线中的 micro-batch", "专家的 token", "rank 4, 5, 6, 7 的专家中最不均匀的计算", "慢链路", "确定"))):
        out = work / f"cluster_{language}"
        run_ok(checks, migrator, "profile", "made", "--report", out, "--lang", language, cwd=work)
        charts = json.loads((out / "profile.json").read_text())["pipelines"]
        for size in SIZES:
            with shown(work, out / "profile.html", size) as browser:
                text = browser.js("document.body.textContent")
                for word in words:
                    checks.expect(word in text, f"{language}: {word}")
                lanes = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.pipeline')].map((one) => [...one.querySelectorAll('.bar')].map((bar) => "
                                              "[...bar.querySelectorAll('rect')].map((rect) => [rect.className.baseVal, +rect.getAttribute('x'), +rect.getAttribute('width')]))))"))
                checks.equal([len(stages) for stages in lanes], [2] * 4, "a lane for each stage of each pipeline")
                for stages, chart in zip(lanes, charts):
                    for lane, stage in zip(stages, chart["stages"]):
                        wanted = [["phase-wait-ends" if phase["kind"] == "wait" and phase["part"] != "steady" else f"phase-{phase['kind']}", phase["begin_us"] / chart["length_us"] * 1000, phase["duration_us"] / chart["length_us"] * 1000]
                                  for phase in stage["phases"]]
                        checks.equal([kind for kind, *_ in lane], [kind for kind, *_ in wanted], f"phases of rank {stage['rank']}")
                        checks.expect(all(abs(a - b) < 0.011 for one, other in zip(lane, wanted) for a, b in zip(one[1:], other[1:])), f"their places: {lane}")
                heights = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.pipeline .bar')].map((bar) => bar.getBoundingClientRect().height > 10))"))
                checks.expect(all(heights), "lanes that can be seen")
                check_page(checks, browser, out / "profile.html", f"cluster, {language}, {size}")
                browser.call("Emulation.setEmulatedMedia", media="print")
                checks.equal(browser.js("getComputedStyle(document.querySelector('.pipeline .bar')).printColorAdjust || getComputedStyle(document.querySelector('.pipeline .bar')).webkitPrintColorAdjust"),
                             "exact", "colours on paper")
                checks.expect(size < 1024 or browser.js("document.documentElement.scrollWidth <= innerWidth"), "it fits on paper")


def hostile(checks, migrator, work):
    """Names and paths of a trace stay text."""
    name = work / "<b>x{{style}}.json"
    event = {"ph": "X", "pid": 1, "tid": 1}
    name.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [
        {**event, "cat": "cpu_op", "name": HOSTILE, "ts": 1, "dur": 9},
        {**event, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 2, "dur": 3, "args": {"correlation": 1}},
        {**event, "cat": "kernel", "name": HOSTILE, "ts": 20, "dur": 9, "pid": 0, "args": {"stream": 7, "correlation": 1}}]}))
    out = work / "hostile"
    run_ok(checks, migrator, "compare", name, name, "--report", out)
    with shown(work, out / "comparison.html", 1024) as browser:
        checks.expect(HOSTILE in json.loads(browser.js(FIRST_CELLS)), "the name of the operator")
        checks.equal(browser.js("document.querySelectorAll('img, b').length"), 0, "elements of the input")
        check_page(checks, browser, out / "comparison.html", "hostile")


def main():
    checks = Checks()
    if not AXE.exists():
        skip(f"{AXE.parent} is not there; ./test.sh fetches it")
    for suite in (compared, modules, ranks, bubbles, cluster, hostile):
        if sys.argv[1:] and suite.__name__ not in sys.argv[1:]:
            continue
        with temporary_directory() as directory:
            suite(checks, tool("migrator"), Path(directory))
    checks.finish()


if __name__ == "__main__":
    main()
