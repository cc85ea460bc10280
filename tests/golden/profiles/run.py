"""`migrator compare --compat msprof` on real and random profiles: every figure is that of the vendor's tool, relative 1e-9.

pairs/ has what msprof-analyze gave for each pair of data/ (see README.md there). Its rows "Other" with less than 1e-9 of the computing
time are noise of its sums of floating-point numbers, and may be missing.
"""

import gzip
import json
import math
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, run, tool  # noqa: E402
from profile_databases import write_databases  # noqa: E402

HERE = Path(__file__).resolve().parent
PAIRS = HERE / "pairs"


def is_close(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def difference(ours, theirs, place=""):
    """The first place at which two values differ; None: they are equal."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            if key not in ours or key not in theirs:
                return f"{place}.{key} is missing on one side"
            found = difference(ours[key], theirs[key], f"{place}.{key}")
            if found:
                return found
        return None
    if isinstance(theirs, list) and isinstance(ours, list):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            found = difference(a, b, f"{place}[{i}]")
            if found:
                return found
        return None if len(ours) == len(theirs) else f"{place}: {len(ours)} instead of {len(theirs)} items"
    return None if is_close(ours, theirs) else f"{place}: {ours!r} instead of {theirs!r}"


def unpacked(reference, directory):
    """The path of a profile of a case."""
    packed, _, inner = reference.partition("#")
    if not inner:
        return HERE / packed
    target = directory / Path(packed).stem
    if not target.exists():
        with tarfile.open(HERE / packed) as archive:
            archive.extractall(target)
    return target / inner


def stored(path):
    """The same profile as databases."""
    output = next(path.rglob("trace_view.json")).parent
    target = path / "stored"
    if not target.exists():
        write_databases(output, target)
    return target


def words_of(options):
    """As the vendor writes them."""
    words = []
    for key, value in options.items():
        words += [f"--{key}"] if value is True else [f"--{key}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return words


def without_noise(rows):
    """Without rows, differences and ratios that are nothing but noise of floating-point numbers."""
    out = []
    for row in rows:
        least = 1e-9 * max(abs(rows[0][1]), abs(rows[0][4]))
        is_noise = [0 < abs(row[column]) < least or row[column] == 0 for column in (1, 4)]
        if all(is_noise):
            continue
        out.append([*row[:-1], None] if row[0].strip() == "Other" and is_noise[0] else row)
    return out


def without_other(table):
    """Of a table of the terminal: without a column of noise."""
    columns = [i for i, header in enumerate(table["headers"]) if header != "Other Time" or {row[i] for row in table["rows"]} != {"0.000s"}]
    return [[table["headers"][i] for i in columns], [[row[i] for i in columns] for row in table["rows"]]]


def check_metrics(checks, name, ours, theirs):
    for side, key in (("base", "base"), ("comparison", "new")):
        metrics = ours[key]["metrics"]
        for metric, value in theirs[side].items():
            if metric in ("minimal_profiling", "is_level0", "hide_op_details"):
                continue
            found = difference(metrics.get(metric), value, f"{name}: {side}.{metric}")
            checks.expect(found is None, found)


def check_sheets(checks, name, ours, theirs):
    for sheet, wanted in theirs.items():
        if sheet not in ours:
            checks.expect(False, f"{name}: {sheet} is missing")
            continue
        checks.equal(ours[sheet]["headers"], wanted["headers"], f"{name}: headers of {sheet}")
        got, rows = ours[sheet]["rows"], wanted["rows"]
        if sheet == "OverallMetrics":
            got, rows = without_noise(got), without_noise(rows)
        if wanted.get("rows_cut"):
            got = got[:len(rows)]
        found = difference(got, rows, f"{name}: {sheet}")
        checks.expect(found is None, found)


def check_pair(checks, path, directory):
    name = path.name.removesuffix(".json.gz")
    case = json.loads(gzip.decompress(path.read_bytes()))
    expected = case["expected"]
    words = words_of(case["options"])
    base, new = unpacked(case["base"], directory), unpacked(case["comparison"], directory)
    if case.get("form") == "database":
        base, new = stored(base), stored(new)
    done = run(tool("migrator"), "compare", "-d", new, "-bp", base, "--compat", "msprof", "--json", *words)
    if expected.get("error"):
        checks.expect(done.returncode in (2, 4), f"{name}: exit code {done.returncode}: {expected['error']}")
        word = next(word for word in ("kernel", "step") if word in expected["error"])
        checks.expect(done.stderr.startswith("migrator: error: ") and f"{word} " in done.stderr, f"{name}: {done.stderr}")
        return
    if not checks.equal(done.returncode, 0, f"{name}: {done.stderr}"):
        return
    ours = json.loads(done.stdout)
    only = [key for key in case["options"] if key.startswith("enable_")]
    if "raw" in expected and (not only or "enable_profiling_compare" in only):
        check_metrics(checks, name, ours, expected["raw"])
        table = next(iter(expected["terminal"].values()))
        found = difference(without_other(ours["distribution"]), without_other(table), name)
        checks.expect(found is None, found)
    check_sheets(checks, name, ours["sheets"], expected["sheets"])


def main():
    checks = Checks()
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(PAIRS.glob("*.json.gz")):
            if not wanted or any(word in path.name for word in wanted):
                check_pair(checks, path, Path(temporary))
    checks.finish()


if __name__ == "__main__":
    main()
