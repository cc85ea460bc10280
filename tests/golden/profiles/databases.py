"""A profile that is stored as databases gives the figures of its text form; whatever else has the name of a database ends with a sentence,
and nothing that is read changes."""

import gzip
import json
import shutil
import sqlite3
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import Checks, run, tool  # noqa: E402
from profile_databases import write_databases  # noqa: E402
from run import difference  # noqa: E402

DATA = Path(__file__).resolve().parent / "data"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
NAME = "ascend_pytorch_profiler_0.db"


def unpack(archive, directory):
    with tarfile.open(DATA / f"{archive}.tar.gz") as file:
        file.extractall(directory / archive)
    return sorted((directory / archive).rglob(OUTPUT))


def text_and_database(archive, directory):
    """Two folders: with the text form, and with databases of the same run."""
    text = unpack(archive, directory)[0]
    folder = directory / archive / "database_ascend_pt"
    write_databases(text, folder / OUTPUT)
    return text, folder / OUTPUT


def compare(base, new, *words):
    return run(tool("migrator"), "compare", base, new, *words)


def compared(checks, base, new, *words):
    done = compare(base, new, "--json", *words)
    checks.equal(done.returncode, 0, f"{base} and {new}: {done.stderr}")
    return json.loads(done.stdout) if done.returncode == 0 else {"sheets": {}, "base": {"metrics": {}}, "new": {"metrics": {}}}


def figures(comparison):
    return {"base": comparison["base"]["metrics"], "new": comparison["new"]["metrics"],
            "sheets": {name: sheet["rows"] for name, sheet in comparison["sheets"].items()}}


def check_same_figures(checks, directory):
    """Whichever form each side has, and of steps too."""
    for archive in ("syn_a", "syn_e"):
        text, database = text_and_database(archive, directory)
        for words in ([], ["--base-step", "1", "--new-step", "1"]):
            wanted = figures(compared(checks, text, text, *words))
            checks.expect(len(wanted["sheets"]) == 9 and wanted["base"]["compute_time"] > 0, f"{archive}: {wanted['sheets'].keys()}")
            for base, new in ((database, text), (text, database), (database / NAME, database)):
                found = difference(figures(compared(checks, base, new, *words)), wanted, f"{archive} {words}")
                checks.expect(found is None, found)
        check_profile_and_ops(checks, text, database)


def check_profile_and_ops(checks, text, database):
    for command, key in (("profile", "figures"), ("ops", "operators")):
        results = []
        for path in (text, database):
            done = run(tool("migrator"), command, path, "--json")
            checks.equal(done.returncode, 0, f"{command} {path}: {done.stderr}")
            results.append(json.loads(done.stdout)[key])
        checks.expect(bool(results[0]), f"{command} says something")
        found = difference(results[1], results[0], f"{command} {database}")
        checks.expect(found is None, found)


def check_recorded(checks, directory):
    """A recorded run, whose text has digits below a nanosecond that databases lack."""
    text, database = text_and_database("npu_l1_r0", directory)
    ours, wanted = compared(checks, database, database), compared(checks, text, text)
    for sheet in ("ApiCompare", "MemoryCompare", "MemoryCompareStatistic"):
        found = difference(ours["sheets"][sheet]["rows"], wanted["sheets"][sheet]["rows"], sheet)
        checks.expect(found is None, found)
    for name, value in wanted["base"]["metrics"].items():
        if isinstance(value, float):
            checks.expect(abs(ours["base"]["metrics"][name] - value) <= 1e-7 + 1e-5 * abs(value), f"{name}: {ours['base']['metrics'][name]}, {value}")


def check_both_forms(checks, directory):
    """A folder with text and a database: text, as it has more; for --compat msprof the database, as msprof-analyze takes it."""
    text, database = text_and_database("npu_l2_r0", directory)
    both = directory / "both_ascend_pt" / OUTPUT
    shutil.copytree(text, both)
    shutil.copy(database / NAME, both)
    for words, form in (([], text), (["--compat", "msprof"], database)):
        found = difference(figures(compared(checks, both, both, *words)), figures(compared(checks, form, form, *words)), f"both {words}")
        checks.expect(found is None, found)
    # Sums of the rank that the text lacks come from their database; nobody asks for those that are broken and not needed.
    (both / "analysis.db").write_bytes(b"broken")
    checks.equal(compare(both, both).returncode, 0, "a broken database that is not needed")
    (both / "communication.json").unlink()
    done = compare(both, both)
    checks.expect(done.returncode == 4 and "analysis.db: the file is too short" in done.stderr, done.stderr)
    shutil.copy(database / "analysis.db", both)
    found = difference(figures(compared(checks, both, both)), figures(compared(checks, text, text)), "without communication.json")
    checks.expect(found is None, found)


def check_other_programs(checks, directory):
    """Databases of MindSpore and of msprof have no operators of torch: their kernels, collectives and steps count all the same."""
    folder = directory / "other"
    write_databases(unpack("syn_e", folder)[0], folder / "torch")
    wanted = {words: compared(checks, folder / "torch", folder / "torch", *words)["base"]["metrics"]
              for words in ((), ("--compat", "msprof"), ("--base-step", "1", "--new-step", "2"),
                            ("--base-step", "1", "--new-step", "2", "--compat", "msprof"))}
    for name in ("rank_0_ascend_ms/ASCEND_PROFILER_OUTPUT/ascend_mindspore_profiler_0.db", "PROF_1/msprof_20260105.db"):
        path = folder / name
        path.parent.mkdir(parents=True)
        shutil.copy(folder / "torch" / NAME, path)
        changed(path, "DROP TABLE PYTORCH_API; DROP TABLE PYTORCH_CALLCHAINS; DROP TABLE CONNECTION_IDS; DROP TABLE OP_MEMORY;")
        for given in (path, path.parent):
            for words, metrics in wanted.items():
                found = compared(checks, given, given, *words)["base"]["metrics"]
                for key in ("compute_time", "communication_not_overlapped", "e2e_time", "wait_time", "memory_used"):
                    checks.equal(found[key], metrics[key], f"{given} {words}: {key}")
        done = compare(path, path, "--base-step", "7", "--new-step", "7")
        checks.expect(done.returncode == 2 and "there are: 0, 1, 2, 3" in done.stderr, f"{name}: {done.stderr}")


def check_ranks(checks, directory):
    with tarfile.open(Path(__file__).resolve().parent / "cluster/four_ranks.tar.gz") as archive:
        archive.extractall(directory / "ranks")
    stored = directory / "stored"
    for output in sorted((directory / "ranks").rglob(OUTPUT)):
        folder = stored / output.parent.name
        write_databases(output, folder / OUTPUT, with_profile=False)
        for file in output.parent.glob("profiler_*.json"):
            shutil.copy(file, folder)
    results = []
    for path in (directory / "ranks", stored):
        done = run(tool("migrator"), "profile", path, "--json")
        checks.equal(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        results.append({"figures": report["figures"], "advice": report["advice"], "awaited": report["awaited"],
                        "ranks": [(rank["rank"], rank["steps"]) for rank in report["ranks"]]})
    checks.equal(len(results[0]["ranks"]), 4, "ranks")
    found = difference(json.loads(json.dumps(results[1])), json.loads(json.dumps(results[0])), "ranks")
    checks.expect(found is None, found)


def content_of(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


def check_nothing_changes(checks, directory):
    """Also where the database asks for a log beside it, as those that a program has looked at do."""
    folder = unpack("npudb_l1_r0", directory)[0]
    with open(folder / NAME, "rb") as file:
        checks.equal(file.read(20)[18:], b"\x02\x02", "the recorded database wants a log")
    before = content_of(folder)
    for words in (["compare", folder, folder], ["compare", folder, folder, "--compat", "msprof"], ["profile", folder], ["ops", folder]):
        done = run(tool("migrator"), *words)
        checks.equal(done.returncode, 0, f"{words}: {done.stderr}")
    checks.expect(content_of(folder) == before, f"the folder is as it was: {sorted(content_of(folder))}")


def changed(database, script):
    connection = sqlite3.connect(database)
    connection.executescript(script)
    connection.commit()
    connection.close()


# What is done to a database, and a part of the sentence that it ends with.
HOSTILE = {
    "view": ("ALTER TABLE TASK RENAME TO T; CREATE VIEW TASK AS SELECT * FROM T;", "TASK in the database is a view and no table"),
    "view_of_itself": ("DROP TABLE TASK; CREATE VIEW TASK AS SELECT * FROM TASK;", "TASK in the database is a view and no table"),
    "endless_view": ("DROP TABLE STRING_IDS; CREATE VIEW STRING_IDS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                     "SELECT i AS id, 'x' AS value FROM n;", "STRING_IDS in the database is a view and no table"),
    "virtual": ("DROP TABLE TASK; CREATE VIRTUAL TABLE TASK USING fts4(startNs, endNs);", "TASK in the database is a virtual table"),
    "column": ("ALTER TABLE TASK DROP COLUMN connectionId;", "no such column"),
    "no_tables": ("DROP TABLE TASK; DROP TABLE PYTORCH_API; DROP TABLE COMMUNICATION_OP; DROP TABLE CANN_API; DROP TABLE STEP_TIME;", "no table of a profile"),
    "nothing_ran": ("DELETE FROM COMPUTE_TASK_INFO; DELETE FROM COMMUNICATION_OP;", "neither kernels nor collectives"),
    "huge_text": ("INSERT INTO STRING_IDS VALUES (-1, zeroblob(100000000));", "a value in the database has more than 64 MiB"),
    "product": ("DROP TABLE CONNECTION_IDS; CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO CONNECTION_IDS SELECT 7, i FROM n;"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO PYTORCH_API "
                "SELECT '1', '2', 1, 7, 0, 0, 0, 0, 0, 0, 50001 FROM n;", "does not end"),
}
# What is odd, and read all the same.
ODD = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON TASK BEGIN DELETE FROM TASK; END;",
    "types": "UPDATE TASK SET startNs = 'soon', endNs = x'00ff' WHERE rowid % 3 = 0; UPDATE PYTORCH_API SET startNs = NULL WHERE rowid % 5 = 0;"
             "UPDATE COMPUTE_TASK_INFO SET name = 1.5, opType = NULL WHERE rowid % 2 = 0; UPDATE COMMUNICATION_OP SET groupName = NULL;"
             "UPDATE MEMORY_RECORD SET totalReserved = 'much'; UPDATE OP_MEMORY SET size = x'', name = 'none';",
    "far": "UPDATE TASK SET endNs = 9223372036854775807 WHERE rowid % 2 = 0; UPDATE PYTORCH_API SET startNs = '-9223372036854775808' WHERE rowid = 1;",
    "bytes": "UPDATE STRING_IDS SET value = CAST(x'ff00fe22' AS TEXT) WHERE id % 2 = 0;",
    "encoding": "",
    "no_operators": "DROP TABLE PYTORCH_API;",
    "no_kernels": "DELETE FROM COMPUTE_TASK_INFO; DELETE FROM TASK_PMU_INFO;",
}


def check_hostile(checks, directory):
    folder = directory / "hostile_ascend_pt" / OUTPUT
    write_databases(unpack("syn_a", directory / "hostile")[0], folder)
    path, good = folder / NAME, (folder / NAME).read_bytes()
    for name, (script, sentence) in HOSTILE.items():
        path.write_bytes(good)
        changed(path, script)
        for words in ([], ["--compat", "msprof"]):
            done = compare(folder, folder, *words)
            checks.equal(done.returncode, 4, f"{name} {words}: {done.stderr[-300:]}")
            checks.expect(sentence in done.stderr, f"{name} {words}: {done.stderr[-300:]}")
            checks.expect(all(line.startswith("migrator: ") for line in done.stderr.splitlines()), f"{name}: {done.stderr[-300:]}")
    for name, script in ODD.items():
        path.write_bytes(good)
        changed(path, script)
        for words in ([], ["--compat", "msprof"]):
            done = compare(folder, folder, "--json", *words)
            wanted = (0, 4) if name == "far" else (0,)
            checks.expect(done.returncode in wanted, f"{name} {words}: {done.returncode} {done.stderr[-300:]}")
            if done.returncode == 0:
                json.loads(done.stdout)
    path.write_bytes(good)


def check_broken(checks, directory):
    """Cut off and changed bytes: never a crash, and never exit 0 where a part is missing."""
    folder = directory / "hostile_ascend_pt" / OUTPUT
    path, good = folder / NAME, (folder / NAME).read_bytes()
    for size in (0, 15, 99, 100, 4095, 4096, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:size])
        done = compare(folder, folder)
        checks.equal(done.returncode, 4, f"{size} bytes: {done.stderr}")
        checks.expect(NAME in done.stderr, f"{size} bytes: {done.stderr}")
    for foreign in (b"[]", b"<html>not found</html>", b"version https://git-lfs.github.com/spec/v1\n" + b"x" * 200):
        path.write_bytes(foreign)
        checks.equal(compare(folder, folder).returncode, 4, f"{foreign[:20]}")
    # A record of 16 kB that claims to be so long that there is no memory for it.
    path.write_bytes(gzip.decompress((DATA / "claims_memory.db.gz").read_bytes()))
    done = compare(folder, folder, "--compat", "msprof")
    checks.expect(done.returncode == 4 and "the database is damaged" in done.stderr, f"{done.returncode} {done.stderr}")
    for page in range(1, len(good) // 4096, 3):
        damaged = bytearray(good)
        damaged[page * 4096:page * 4096 + 64] = b"\xff" * 64
        path.write_bytes(damaged)
        done = compare(folder, folder)
        checks.expect(done.returncode in (0, 4), f"page {page}: {done.returncode} {done.stderr[-300:]}")
    path.write_bytes(good)
    for ending in ("-wal", "-journal"):
        beside = path.with_name(NAME + ending)
        beside.write_bytes(b"\x37\x7f\x06\x82" + bytes(60))
        done = compare(folder, folder)
        checks.equal(done.returncode, 4, f"{ending}: {done.stderr}")
        checks.expect("changes that are not in the database yet" in done.stderr, done.stderr)
        beside.write_bytes(b"")
        checks.equal(compare(folder, folder).returncode, 0, f"an empty {ending}")
        beside.unlink()
    shutil.copy(path, folder / "ascend_pytorch_profiler_1.db")
    done = compare(folder, folder)
    checks.expect(done.returncode == 4 and "several databases" in done.stderr, done.stderr)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        check_same_figures(checks, directory)
        check_recorded(checks, directory)
        check_both_forms(checks, directory)
        check_other_programs(checks, directory)
        check_ranks(checks, directory)
        check_nothing_changes(checks, directory)
        check_hostile(checks, directory)
        check_broken(checks, directory)
    checks.finish()


if __name__ == "__main__":
    main()
