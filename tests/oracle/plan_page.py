"""The page of `ckpt_convert plan --plan-html` in headless Chromium, wide and narrow: nothing leaves the window, axe finds nothing, and
the numbers of the bars are those of the plan.

The browser is Debian's chromium, or the one that MIGRATION_BROWSER names. axe comes from a Python package that brings it.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402
from checks import ROOT, Checks, run, skip, temporary_directory, tool  # noqa: E402

AXE = ROOT / ".venv/report_tools/axe_playwright_python/axe.min.js"
VIOLATIONS = ("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map((v) => "
              "[v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))")
SIZES = ["--sizes", "layers=32,hidden=4096,heads=32,ffn=11008,vocab=32000", "--global-batch-size", "256"]
PLANS = {"searched": ["--devices", "8", "--device", "a2"], "a pipeline": ["--devices", "64", "--device", "a2", "--tp", "2", "--pp", "8"],
         "FSDP2": ["--devices", "64", "--device", "a2", "--engine", "fsdp2"]}
LINES = ("weights", "gradients", "optimizer", "activations", "working", "buffers")


def main():
    if not AXE.exists():
        skip("axe is not there; ./test.sh makes the .venv that has it")
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        for name, words in PLANS.items():
            page = work / "plan.html"
            done = run(tool("ckpt_convert"), "plan", *SIZES, *words, "--plan-html", page, "--json")
            plans = json.loads(done.stdout)["plans"]
            for width in (1024, 390):
                what = f"{name}, {width} pixels"
                with Browser(work / f"profile_{width}_{name[:3]}", size=(width, 900)) as browser:
                    browser.call("Page.enable")
                    browser.call("Page.navigate", url=page.as_uri())
                    browser.wait_for("document.readyState == 'complete' && document.title")
                    wide = browser.js("[...document.querySelectorAll('html, section')].filter((e) => e.scrollWidth > e.clientWidth).length")
                    checks.equal(wide, 0, f"{what}: parts that leave the window")
                    browser.call("Runtime.evaluate", expression=AXE.read_text())
                    for theme in ("light", "dark"):
                        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                        checks.equal(json.loads(browser.js(VIOLATIONS)), [], f"axe, {what}, {theme}")
                    labels = json.loads(browser.js("JSON.stringify([...document.querySelectorAll('.bar')].map((e) => e.ariaLabel))"))
                    wanted = [", ".join(f"{line} {stage[line + '_gib']:.1f} GiB" for line in LINES) for plan in plans for stage in plan["stages"]]
                    checks.equal(labels, wanted, f"{what}: bars")
                    charts = browser.js("document.querySelectorAll('svg.pipeline').length")
                    checks.equal(charts, sum(plan["pp"] > 1 for plan in plans), f"{what}: pictures of pipelines")
                    checks.equal(browser.errors, [], f"{what}: errors of the page")
    checks.finish()


if __name__ == "__main__":
    main()
