"""Runs the fuzz targets of a build with sanitizers by clang, each for a time, and keeps what breaks a promise.

    run.py [--seconds N] [--jobs N] [--bin DIR] [--out DIR] [TARGET...]

Inputs that were worth keeping stay below OUT/TARGET/corpus, so that the next run goes on from there. An input that
breaks a promise is written to OUT/TARGET/crashes, and the command that shows it again is printed.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, skip  # noqa: E402
from patience import slowness  # noqa: E402

MEMORY_MB = 2048
# One input that takes as long is a finding. Sanitizers without optimisation take thirty times as long as the programs do.
SECONDS_PER_INPUT = round(60 * slowness())
# Larger input finds nothing that smaller does not, and costs executions.
LARGEST = {"checkpoint": 32_000, "torch_file": 32_000, "zip": 32_000, "pickle": 16_000, "torch_dist": 16_000, "safetensors": 16_000}
LARGEST_TEXT = 6_000
# libFuzzer runs all of its seeds before it looks at the time.
SEEDS_PER_SECOND = 5
FIGURES = re.compile(r"^#(\d+)\s+(?:DONE|INITED|NEW|REDUCE|pulse|RELOAD)\s+cov: (\d+) ft: (\d+) corp: (\d+)", re.M)


def targets_in(directory):
    return sorted(path.name.removesuffix("_fuzz") for path in directory.glob("*_fuzz"))


def command_for(args, target):
    folder = args.out / target
    for name in ("seeds", "corpus", "crashes"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    out = [args.bin / f"{target}_fuzz", f"-rss_limit_mb={MEMORY_MB}", f"-timeout={SECONDS_PER_INPUT}",
           f"-max_len={LARGEST.get(target, LARGEST_TEXT)}", f"-artifact_prefix={folder / 'crashes'}/", "-print_final_stats=1", f"-report_slow_units={SECONDS_PER_INPUT}",
           f"-max_total_time={args.seconds}"]
    if (folder / "words.dict").is_file():
        out.append(f"-dict={folder / 'words.dict'}")
    chosen = sorted((folder / "seeds").iterdir())[:SEEDS_PER_SECOND * args.seconds]
    (folder / "seeds.list").write_text(",".join(map(str, chosen)))
    return [str(part) for part in [*out, f"-seed_inputs=@{folder / 'seeds.list'}", folder / "corpus"]]


def run_target(args, target):
    """The exit code, what libFuzzer said, and how long it took."""
    start = time.monotonic()
    environment = os.environ | {"ASAN_OPTIONS": "allocator_may_return_null=0:detect_stack_use_after_return=0"}
    done = subprocess.run(command_for(args, target), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, text=True, errors="replace")
    log = args.out / target / "last.log"
    log.write_text(done.stdout)
    return done.returncode, done.stdout, time.monotonic() - start


def report(checks, args, target, code, text, seconds):
    figures = FIGURES.findall(text)
    runs, covered, features, inputs = figures[-1] if figures else ("0", "0", "0", "0")
    print(f"{target:12} {runs:>9} executions in {seconds:5.0f} s, {covered:>6} edges, {features:>6} features, {inputs:>5} inputs kept", flush=True)
    # A target that runs nothing would find nothing.
    checks.expect(int(runs) > 0, f"{target}: nothing was executed:\n{text[-2000:]}")
    if checks.expect(code == 0, f"{target}: ended with {code}; the end of {args.out / target / 'last.log'}:\n{text[-3000:]}"):
        return
    for input_file in re.findall(r"Test unit written to (\S+)", text):
        checks.failures.append(f"{target}: show it again with:  {args.bin / target}_fuzz {input_file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time (default: one per core)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/asan/bin", help="where the programs are (default: build/asan/bin)")
    parser.add_argument("--out", type=Path, default=ROOT / "out/fuzz", help="default: out/fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    args = parser.parse_args()
    os.environ["MIGRATION_BIN"] = str(args.bin)
    known = targets_in(args.bin)
    if not known:
        skip(f"there are no fuzz targets in {args.bin}; build them with clang: cmake --build build/asan --target fuzz_targets")
    unknown = sorted(set(args.targets) - set(known))
    if unknown:
        sys.exit(f"no such target: {', '.join(unknown)}; there are: {', '.join(known)}")
    import seeds
    with_seeds = seeds.make(args.out)
    checks = Checks()
    for target in known:
        checks.expect(target in with_seeds, f"{target} has no seeds: tests/fuzz/seeds.py makes them")
    chosen = args.targets or known
    with ThreadPoolExecutor(args.jobs) as pool:
        for target, (code, text, seconds) in zip(chosen, pool.map(lambda name: run_target(args, name), chosen)):
            report(checks, args, target, code, text, seconds)
    checks.finish()


if __name__ == "__main__":
    main()
