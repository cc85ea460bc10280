"""Runs what works on several threads under ThreadSanitizer: conversions, comparisons, migrations, analyses. It fails on a
report of the sanitizer, and when the output is not that of one thread.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, make_tiny, skip, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

REPORT = "WARNING: ThreadSanitizer"
ENVIRONMENT = os.environ | {"TSAN_OPTIONS": "exitcode=66 second_deadlock_stack=1"}
# The sanitizer needs its addresses free, which some kernels give away at random.
FIXED_ADDRESSES = ["setarch", "-R"] if shutil.which("setarch") else []


def start(name, *arguments):
    return subprocess.Popen([*FIXED_ADDRESSES, tool(name), *map(str, arguments)], cwd=ROOT, env=ENVIRONMENT,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def finish(checks, process, wanted=0):
    text = process.communicate(timeout=patience(1200))[0]
    shown = " ".join(process.args)
    checks.expect(REPORT not in text, f"`{shown}`:\n{text[-6000:]}")
    checks.expect(process.returncode == wanted, f"`{shown}` ended with {process.returncode}:\n{text[-2000:]}")


def run(checks, name, *arguments):
    finish(checks, start(name, *arguments))


def check_sanitizer(checks):
    """It sees a race between threads that are started as ours are."""
    probe = start("race_probe")
    text = probe.communicate(timeout=patience(120))[0]
    checks.expect(probe.returncode == 66 and f"{REPORT}: data race" in text, f"race_probe ended with {probe.returncode}:\n{text[-2000:]}")


def files_below(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def check_conversions(checks, scratch):
    hf, ranks, dist = scratch / "hf", scratch / "ranks", scratch / "dist"
    make_tiny(checks, "qwen3", hf, "--layers", "2")
    run(checks, "ckpt_convert", "--load-dir", hf, "--save-dir", ranks, "--tp", "2", "--pp", "2", "-j", "4")
    run(checks, "ckpt_convert", "--load-dir", hf, "--save-dir", scratch / "one", "--tp", "2", "--pp", "2", "-j", "1")
    checks.expect(files_below(ranks) == files_below(scratch / "one"), "four threads write what one does")
    run(checks, "ckpt_convert", "--load-dir", ranks, "--save-dir", dist, "--save-model-type", "mg", "--ckpt-format", "torch_dist", "-j", "4")
    run(checks, "ckpt_convert", "--load-dir", dist, "--save-dir", scratch / "back", "--params-dtype", "fp32", "-j", "4")
    run(checks, "ckpt_convert", "verify", hf, "--against", ranks, "-j", "4")
    run(checks, "ckpt_convert", "verify", dist, "-j", "4")
    shards = [start("ckpt_convert", "--load-dir", hf, "--save-dir", scratch / "shared", "--tp", "2", "--pp", "2", "-j", "2", "--shard", f"{i}/2")
              for i in (1, 2)]
    for shard in shards:
        finish(checks, shard)
    checks.expect(files_below(scratch / "shared") == files_below(ranks), "two workers write what one does")


def check_migrations(checks, scratch):
    project = scratch / "project"
    shutil.copytree(ROOT / "samples/gpt_train", project / "gpt_train")
    # Cases of many kinds, so that the threads have something to do at the same time.
    for case in sorted((ROOT / "tests/golden/migrator/cases").iterdir())[:24]:
        shutil.copytree(case / "in", project / case.name, symlinks=True)
    formats = "html,json,diff,markdown,csv,sarif,gitlab,junit"
    for jobs in ("1", "4"):
        run(checks, "migrator", "migrate", project, "-o", scratch / f"out{jobs}", "--report", scratch / f"report{jobs}", "--format", formats,
            "-j", jobs, "--no-config")
    checks.expect(files_below(scratch / "out4") == files_below(scratch / "out1"), "four threads migrate as one does")
    run(checks, "migrator", "migrate", project, "-o", scratch / "portable", "--report", scratch / "portable_report", "--style", "portable",
        "--affinity", "-j", "4", "--no-config")
    run(checks, "migrator", "analyze", project, "--report", scratch / "analysis", "-j", "4", "--no-config")


def main():
    for name in ("ckpt_convert", "migrator"):
        if b"__tsan_init" not in Path(tool(name)).read_bytes():
            skip(f"{tool(name)} is built without ThreadSanitizer: cmake --preset tsan && cmake --build --preset tsan")
    checks = Checks()
    check_sanitizer(checks)
    with temporary_directory() as temporary:
        for check in (check_conversions, check_migrations):
            scratch = Path(temporary) / check.__name__
            scratch.mkdir()
            check(checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
