"""`migrator profile` on wrong and missing input: it never ends with 0, and says what is wrong and where."""

import gzip
import json
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import Checks, run, tool  # noqa: E402
from made_cluster import Run, write  # noqa: E402

MADE = Run(2, 2, 4, forward=(10_000,) * 2, backward=(20_000,) * 2)
OUTPUT = "ASCEND_PROFILER_OUTPUT"
WHOLE = {"schemaVersion": 1, "deviceProperties": [], "traceEvents": [
    {"ph": "X", "pid": 1, "tid": 1, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 2, "dur": 3, "args": {"correlation": 1}},
    {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "k", "ts": 20, "dur": 9, "args": {"stream": 7, "correlation": 1}}]}


def table(rank):
    return Path(f"rank{rank}_ascend_pt") / OUTPUT / "step_trace_time.csv"


def replaced(path, text):
    return lambda folder: (folder / path).write_text(text)


def cell(path, column, value):
    """One cell of the first row."""
    def change(folder):
        lines = (folder / path).read_text().splitlines()
        cells = lines[1].split(",")
        cells[lines[0].split(",").index(column)] = value
        (folder / path).write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")
    return change


def scaled(factor):
    """The times of a rank's steps in another unit."""
    def change(folder):
        head, *rows = (folder / table(1)).read_text().splitlines()
        (folder / table(1)).write_text("\n".join([head, *(",".join([*row.split(",")[:2], *(str(float(cell) * factor) for cell in row.split(",")[2:])])
                                                          for row in rows)]) + "\n")
    return change


def renumbered(folder):
    for path in (folder / table(1), folder / table(3)):
        path.write_text(path.read_text().replace("\n1,", "\n1,9").replace("\n3,", "\n3,9"))


def moved_step(folder):
    path = folder / table(2)
    path.write_text(path.read_text().replace("\n2,1,", "\n2,7,"))


def twice(folder):
    shutil.copytree(folder / "rank1_ascend_pt", folder / "again_rank1_ascend_pt")


def world(folder):
    for path in folder.glob("*/profiler_metadata.json"):
        path.write_text(json.dumps({"distributed_args": {"world_size": 4, "pipeline_model_parallel_size": 2}}))
    shutil.rmtree(folder / "rank3_ascend_pt")


def nothing(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def without_output(folder):
    nothing(folder)
    (folder / "x_ascend_pt").mkdir()


def damaged(rank, name, change):
    """Bytes of a table of one rank, changed."""
    def apply(folder):
        path = folder / f"rank{rank}_ascend_pt" / OUTPUT / name
        path.write_bytes(change(path.read_bytes()))
    return apply


# What is done to a cluster of four ranks, the exit code, and what is said of it.
CLUSTERS = {
    "an empty folder": (nothing, "there is no profile in this folder"),
    "a profile that is not parsed": (without_output, "the profile is not parsed"),
    "a rank without its table of steps": (lambda folder: (folder / table(1)).unlink(), "rank1_ascend_pt"),
    "a rank of the run that is missing": (world, "so that the figures are those of the others: 3"),
    "ranks of other steps": (renumbered, "No step is in the tables of all ranks"),
    "one step that only one rank has": (moved_step, "Steps that not all ranks have are left out: 1, 7"),
    "a rank that is there twice": (twice, "Two folders are of rank 1"),
    "a table that is cut off": (damaged(1, "step_trace_time.csv", lambda text: text[:-20]), "row"),
    "an empty table": (damaged(1, "step_trace_time.csv", lambda text: b""), "step_trace_time.csv"),
    "a table without rows": (damaged(1, "step_trace_time.csv", lambda text: text.split(b"\n")[0] + b"\n"), "it has no step"),
    "a foreign table": (replaced(table(1), "name,price\nbread,3\n"), "it has no column Computing"),
    "a negative time": (cell(table(1), "Computing", "-5"), 'Computing of step 0 is "-5"'),
    "no number": (cell(table(1), "Free", "NaN"), 'Free of step 0 is "NaN"'),
    "an infinite time": (cell(table(1), "Free", "inf"), 'Free of step 0 is "inf"'),
    "a huge time": (cell(table(1), "Computing", "1e300"), 'Computing of step 0 is "1e300"'),
    "text in place of a time": (cell(table(1), "Computing", "fast"), 'Computing of step 0 is "fast"'),
    "steps of no length": (scaled(0), "all times in it are 0"),
    "times in nanoseconds": (scaled(1e3), "The times of rank 1 in step_trace_time.csv do not go with those in communication.json"),
    "times in seconds": (scaled(1e-6), "The times of rank 1 in step_trace_time.csv do not go with those in communication.json"),
    "collectives that are cut off": (damaged(2, "communication.json", lambda text: text[:len(text) // 2]), "communication.json"),
    "collectives that are a list": (damaged(2, "communication.json", lambda text: b"[1, 2]"), "it is not an object of steps"),
    "links that are text": (damaged(2, "communication_matrix.json", lambda text: b"<html>no such page</html>"), "communication_matrix.json"),
    "kernels that are cut off": (damaged(2, "kernel_details.csv", lambda text: text[:-9] + b'"'), "kernel_details.csv"),
    "foreign kernels": (damaged(2, "kernel_details.csv", lambda text: b"a,b\n1,2\n"), "it has no column Start Time(us)"),
    "metadata that is cut off": (lambda folder: (folder / "rank0_ascend_pt/profiler_metadata.json").write_text('{"parallel_group_info": {'), "profiler_metadata.json"),
}


def npu(*events):
    """A trace of an NPU with intervals of its analysis of overlaps."""
    return json.dumps([{"ph": "M", "name": "process_name", "pid": 4, "tid": 0, "args": {"name": "Overlap Analysis"}}] +
                      [{"ph": "X", "pid": 4, "tid": 1, "name": name, "ts": at if isinstance(at, str) else 1_736_408_883_000_000 + at, "dur": length}
                       for name, at, length in events]).encode()


# What is given as one profile.
FILES = {
    "a text": (b"hello\n", "does not begin like a trace"),
    "nothing": (b"", "empty"),
    "a page": (b"<!doctype html><html></html>", "it is HTML or XML"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(64), "does not begin like a trace"),
    "a table": (b"Name,Duration(us)\nk,1\n", "does not begin like a trace"),
    "a trace that is cut off": (json.dumps(WHOLE).encode()[:-60], "ends inside event 2"),
    "a trace without kernels": (json.dumps({"traceEvents": WHOLE["traceEvents"][:1]}).encode(), "kernel"),
    "JSON of something else": (b'{"a": 1}', ""),
    "an empty list": (b"[]", "nothing in it took any time"),
    "events of no length": (npu(("Computing", 0, 0)), "nothing in it took any time"),
    "events that end before they begin": (npu(("Computing", 0, -5), ("Computing", 10, 5)), "events that end before they begin: 1"),
    "a time that is NaN": (npu(("Computing", "NaN", 5), ("Computing", 10, 5)).replace(b'"NaN"', b"NaN"), "from the first: 1"),
    "a time beyond all numbers": (npu(("Computing", "1e30", 5), ("Computing", 10, 5)), "from the first: 1"),
    "times of another day": (npu(("Computing", 0, 5), ("Computing", 4e11, 5)), "from the first: 1"),
    "numbers in place of events": (b"[1, 2, 3]", ""),
    "a packed trace that is cut off": (gzip.compress(json.dumps(WHOLE).encode())[:-30], ""),
}


def ended(checks, path, says, what, *words):
    done = run(tool("migrator"), "profile", path, *words)
    checks.equal(done.returncode, 4, f"{what}: {done.stdout}{done.stderr}")
    checks.expect(says in done.stderr, f"{what}: not said: {says}\n{done.stderr}")
    checks.expect("nan" not in done.stdout and "inf" not in done.stdout.replace("info", ""), f"{what}: {done.stdout}")
    shown = run(tool("migrator"), "profile", path, "--json")
    if shown.stdout:
        json.loads(shown.stdout, parse_constant=lambda name: checks.expect(False, f"{what}: {name} in JSON"))


def changed_bytes(text, chance):
    """A table with some bytes replaced, cut off, left out, repeated, or a number that is none."""
    at, end = sorted((chance.randrange(len(text)), chance.randrange(len(text))))
    kind = chance.randrange(5)
    if kind == 0:
        return bytes(chance.choice(b'0123456789-.,;"{}[]eE:@ \n\0\xff') if chance.random() < 0.002 else byte for byte in text)
    if kind == 1:
        return text[:at]
    if kind == 2:
        return text[:at] + text[end:]
    if kind == 3:
        return text + text[at:end]
    numbers = list(re.finditer(rb"\d+\.?\d*", text))
    if not numbers:
        return text
    number = chance.choice(numbers)
    return text[:number.start()] + chance.choice([b"1e308", b"-1", b"0", b"9" * 20, b"1e-320", b"NaN", b"null"]) + text[number.end():]


def check_damaged(checks, directory):
    """Whatever is in the files: it ends with 0 or 4, and what it prints is JSON without NaN."""
    chance = random.Random(27)
    write(Run(3, 2, 4, single=True, forward=(10_000,) * 3, backward=(20_000,) * 3, tokens=lambda rank, number: 1000 + rank), directory / "base")
    files = sorted(path.relative_to(directory / "base") for path in (directory / "base").rglob("*") if path.is_file() and path.stat().st_size > 2)
    for number in range(60):
        folder = directory / "damaged"
        shutil.copytree(directory / "base", folder)
        for path in chance.sample(files, chance.randint(1, 3)):
            (folder / path).write_bytes(changed_bytes((folder / path).read_bytes(), chance))
        done = run(tool("migrator"), "profile", folder, "--json", "--report", folder / "report")
        checks.expect(done.returncode in (0, 4), f"input {number} ended with {done.returncode}: {done.stderr}")
        checks.expect(done.stdout or done.returncode == 4, f"input {number}: {done.stderr}")
        if done.stdout:
            json.loads(done.stdout, parse_constant=lambda name: checks.expect(False, f"input {number}: {name} in JSON"))
        shutil.rmtree(folder)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write(MADE, directory / "whole")
        checks.equal(run(tool("migrator"), "profile", directory / "whole").returncode, 0, "before anything is wrong")
        for what, (change, says) in CLUSTERS.items():
            shutil.copytree(directory / "whole", directory / "wrong")
            change(directory / "wrong")
            ended(checks, directory / "wrong", says, what)
            shutil.rmtree(directory / "wrong")
        for what, (data, says) in FILES.items():
            path = directory / ("trace.json.gz" if "packed" in what else "trace.json")
            path.write_bytes(data)
            ended(checks, path, says, what)
        done = run(tool("migrator"), "profile", directory / "whole", "--step", "7")
        checks.equal((done.returncode, "no rank has a step 7" in done.stderr), (2, True), f"a step that is not there: {done.stderr}")
        done = run(tool("migrator"), "profile", directory / "whole", "--step", "1", "--json")
        checks.equal({step["step"] for rank in json.loads(done.stdout)["ranks"] for step in rank["steps"]}, {"1"}, "one step")
        checks.equal({chart["step"] for chart in json.loads(done.stdout)["pipelines"]}, {"step1"}, "and its pipelines")
        check_damaged(checks, directory)
    checks.finish()


if __name__ == "__main__":
    main()
