"""Several workers for one conversion: killed at any moment, started twice, started again; the output is that of one run."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import IN_CI, Checks, make_tiny, run, run_ok, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

LAYOUT = ("--tp", "2", "--pp", "4")
WORKERS = 5


def content(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


class Conversion:
    """A conversion by WORKERS workers into `target`."""

    def __init__(self, source, target, *options):
        self.target = target
        self.command = [tool("ckpt_convert"), "--no-progress", "--load-dir", str(source), "--save-dir", str(target), "-j", "1", *options]

    def start(self, number):
        command = [*self.command, "--shard", f"{number}/{WORKERS}"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def is_published(self):
        return (self.target / "latest_checkpointed_iteration.txt").exists()


def finish(worker):
    return worker.communicate(timeout=patience(120))[1], worker.returncode


def check_killed(checks, source, scratch, whole, seed):
    """All workers at once, and each again until it ends by itself; whoever is last publishes, or commit does."""
    chance = random.Random(seed)
    conversion = Conversion(source, scratch / f"killed{seed}", *LAYOUT)
    lost, rounds = set(range(1, WORKERS + 1)), 0
    while lost and rounds < 50:
        rounds += 1
        workers = {number: conversion.start(number) for number in sorted(lost)}
        if chance.random() < 0.3:
            workers[0] = conversion.start(min(lost))  # the same shard twice
        for number in chance.sample(sorted(workers), len(workers) // 2):
            time.sleep(chance.random() * 0.03)
            workers[number].kill()
        for number, worker in workers.items():
            error, code = finish(worker)
            if code == 0:
                lost.discard(number)
            elif number and not conversion.is_published():
                checks.expect(code in (-9, 0), f"seed {seed}: worker {number} ended with {code}: {error}")
        if conversion.is_published():
            break
    if not conversion.is_published():
        run_ok(checks, tool("ckpt_convert"), "commit", conversion.target)
    checks.expect(content(conversion.target) == whole, f"seed {seed}: the output differs from that of a single run")
    checks.expect(not (conversion.target / ".shards").exists(), f"seed {seed}: something of the workers is left")


def check_refusals(checks, source, scratch):
    convert, target = tool("ckpt_convert"), scratch / "refused"
    first = Conversion(source, target, *LAYOUT)
    checks.equal(finish(first.start(1)), ("", 0), "the first worker")
    for name, command in {
        "another layout": [*Conversion(source, target, "--tp", "4").command, "--shard", f"2/{WORKERS}"],
        "another number of shards": [*first.command, "--shard", "2/3"],
        "a single run": first.command,
        "no such shard": [*first.command, "--shard", f"0/{WORKERS}"],
        "no launcher": [*first.command, "--shard", "auto"],
        "missing shards": [convert, "commit", target],
        "nothing to publish": [convert, "commit", scratch],
    }.items():
        environment = {key: value for key, value in os.environ.items() if "SIZE" not in key and "SLURM" not in key}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        checks.equal(done.returncode, 2, f"{name}: {done.stderr}")
    (marker,) = (target / ".shards/done").iterdir()
    checks.equal(marker.name, f"1-of-{WORKERS}.json", "what is done after the refusals")
    # A file that is not as it was left.
    for number in range(2, WORKERS):
        finish(first.start(number))
    part = next(path for path in (target / ".shards").rglob("*.pt") if path.stat().st_size > 0)
    part.write_bytes(b"")
    error, code = finish(first.start(WORKERS))
    checks.equal(code, 4, f"a truncated file: {error}")
    checks.expect(part.name in error and "run that worker again" in error, error)
    checks.expect(not first.is_published(), "a damaged output was published")


def check_launchers(checks, source, scratch, whole):
    conversion = Conversion(source, scratch / "slurm", *LAYOUT)
    for number in range(3):
        variables = {"SLURM_ARRAY_TASK_ID": str(number + 1), "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "3",
                     "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}
        done = subprocess.run([*conversion.command, "--shard", "auto"], capture_output=True, text=True, env={**os.environ, **variables})
        checks.equal((done.returncode, done.stderr), (0, ""), f"task {number + 1} of an array")
    checks.expect(content(conversion.target) == whole, "the output of an array differs from that of a single run")
    if shutil.which("mpirun") is None:
        checks.expect(not IN_CI, "mpirun is not installed, and continuous integration must have it")
        print("mpirun is not installed: workers are tested without it")
        return
    conversion = Conversion(source, scratch / "mpi", *LAYOUT)
    run_ok(checks, "mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3", *conversion.command, "--shard", "auto")
    checks.expect(content(conversion.target) == whole, "the output under mpirun differs from that of a single run")


def main():
    checks, convert = Checks(), tool("ckpt_convert")
    with temporary_directory() as name:
        scratch = Path(name)
        source = scratch / "hf"
        make_tiny(checks, "qwen3", source)
        run_ok(checks, convert, "--load-dir", source, "--save-dir", scratch / "whole", *LAYOUT)
        whole = content(scratch / "whole")
        for seed in range(5):
            check_killed(checks, source, scratch, whole, seed)
        check_refusals(checks, source, scratch)
        check_launchers(checks, source, scratch, whole)
        dist = Conversion(source, scratch / "dist", "--target", "mcore", "--ckpt-format", "torch_dist", "--max-shard-size", "2MB")
        for number in range(1, WORKERS + 1):
            checks.equal(finish(dist.start(number)), ("", 0), f"torch_dist, worker {number}")
        same = run(convert, "verify", source, "--against", scratch / "dist")
        checks.equal(same.returncode, 0, f"torch_dist by workers: {same.stdout}{same.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
