"""module_use.py DIRECTORY PROJECT CHECKPOINT: what a user of the module `migration_toolkit` does with it, in an environment that has
nothing else. wheel.py runs it."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import migration_toolkit
from migration_toolkit import conversion, errors, json_objects

ROOT = pathlib.Path(__file__).resolve().parents[2]


def said(*command):
    """One JSON value, or the last of a line each."""
    out = subprocess.run(command, check=True, capture_output=True).stdout
    return json.loads(out if out.startswith(b"{\n") else out.splitlines()[-1])


def keys_of(kind):
    return sorted(json_objects.keys(kind).values())


def fails(kind, exit_code, message, call):
    try:
        call()
    except kind as error:
        assert type(error) is kind and isinstance(error, migration_toolkit.ToolError), error
        assert error.exit_code == exit_code and str(error).startswith(message), (error.exit_code, str(error))
    else:
        raise AssertionError(f"no {kind.__name__}")


def use_migrator(work, project):
    report = migration_toolkit.analyze(project, torch_version="2.7", exclude=["ops/**", "docker/**"])
    assert report.schema == "migrator-report/1" and report.command == "analyze" and report.output is None
    assert report.summary.verdict == "convertible" and report.summary.findings > 100
    finding = next(finding for file in report.files if file.path == "train.py" for finding in file.findings)
    assert (finding.begin.line, finding.severity) > (0, ""), finding
    assert not any(file.path.startswith(("ops/", "docker/")) for file in report.files)
    assert migration_toolkit.analyze(project, fail_on="warning").summary.findings > 100  # ends with 1, which is no failure

    migrated = migration_toolkit.migrate(project, output=work / "by_module")
    assert migrated.summary.applied > 0 and "import torch_npu" in (work / "by_module/train.py").read_text()


def use_ckpt_convert(work, checkpoint):
    done = migration_toolkit.convert(checkpoint, work / "m", tp=2, pp=2, on_progress=print)
    assert (done.from_, done.family, done.layers, done.dry_run) == ("Hugging Face", "qwen3", 4, False)
    assert len(done.files) == 4 and done.files[0].bytes > 0
    assert migration_toolkit.convert(checkpoint, work / "dry", tp=2, dry_run=True).dry_run and not (work / "dry").exists()
    equal = migration_toolkit.verify(work / "m", against=checkpoint)
    assert equal.equal and equal.differences == [] and equal.content is None
    alone = migration_toolkit.verify(work / "m")
    assert alone.content.records[0].name == "conversion_manifest.json" and alone.content.not_proven == []

    weights = sorted(work.glob("m/*/*/*.pt"))[0]
    damaged = bytearray(weights.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    weights.write_bytes(damaged)
    differs = migration_toolkit.verify(work / "m", against=checkpoint)  # ends with 1, which is no failure
    assert not differs.equal and differs.differences[0].tensor and differs.differences[0].what
    listing = migration_toolkit.inspect(checkpoint)
    assert listing.kind == "huggingface" and listing.tensors[0].shape and listing.elements == 4098816, listing.kind


def know_every_key(work, checkpoint):
    """The dataclasses have exactly the keys that the program writes."""
    program = migration_toolkit.program("ckpt_convert")
    event = said(program, "--load-dir", checkpoint, "--save-dir", work / "keys", "--json")
    assert keys_of(conversion.Conversion) == sorted(event.keys() - {"event"})
    assert keys_of(conversion.WrittenFile) == sorted(event["files"][0])
    verification = said(program, "verify", work / "keys", "--json")
    assert keys_of(conversion.Verification) == sorted(verification)
    assert keys_of(conversion.Content) == sorted(verification["content"])
    listing = said(program, "inspect", checkpoint, "--json")
    assert keys_of(conversion.Listing) == sorted(listing)
    assert keys_of(conversion.ListedTensor) == sorted(listing["tensors"][0])


def fail_in_every_way(work, project, checkpoint):
    fails(migration_toolkit.InputError, 4, "/no/such: ", lambda: migration_toolkit.analyze("/no/such"))
    fails(migration_toolkit.UsageError, 2, "", lambda: migration_toolkit.analyze(project, no_such_option=1))
    fails(migration_toolkit.UsageError, 2, "TP 3 does not divide",
          lambda: migration_toolkit.convert(checkpoint, work / "f", tp=3))
    fails(migration_toolkit.OutputError, 6, "", lambda: migration_toolkit.convert(checkpoint, "/proc/no"))
    fails(migration_toolkit.RuleDataError, 3, "", lambda: migration_toolkit.analyze(project, rules=bad_rules(work)))
    fails(migration_toolkit.InterruptedRunError, -15, "", lambda: (_ for _ in ()).throw(errors.error_of(-15, "")))
    documented = re.findall(r"^\| (\d[\d, ]*) \|", (ROOT / "docs/reference/exit-codes.md").read_text(), re.M)
    codes = {int(code) for row in documented for code in row.split(",")}
    assert codes - {0, 1} == set(errors.BY_EXIT_CODE), codes


def take_paths_as_paths(work, checkpoint):
    """Whatever they begin with, in every function; where the working directory matters, in a process of its own."""
    (work / "odd/-p").mkdir(parents=True)
    (work / "odd/-p/train.py").write_text("import torch\nx = torch.zeros(3).cuda()\n")
    shutil.copytree(checkpoint, work / "odd/--help")
    calls = """
import migration_toolkit as t
assert t.analyze("-p").summary.findings > 0
assert t.migrate("-p", output="--json").summary.applied > 0
assert t.inspect("--help").kind == "huggingface"
assert t.convert("--help", "-m", tp=2).family == "qwen3"
assert t.verify("-m", against="--help").equal and t.verify("-m").equal
for call in (lambda: t.analyze("-p", "--report=evil"), lambda: t.analyze("-p", "--skeleton=evil"),
             lambda: t.migrate("-p", "--record=evil", output="evil"), lambda: t.migrate("-p", "--force", output="evil"),
             lambda: t.inspect("--version"), lambda: t.verify("--version"), lambda: t.convert("--version", "evil")):
    try:
        call()
    except t.ToolError as error:
        assert error.exit_code in (2, 4), error
    else:
        raise AssertionError("an option")
"""
    subprocess.run([sys.executable, "-B", "-c", calls], cwd=work / "odd", check=True)
    assert sorted(path.name for path in (work / "odd").iterdir()) == ["--help", "--json", "--json_report", "-m", "-p"]


def refuse_wrong_arguments(work, project, checkpoint):
    toolkit = migration_toolkit
    calls = {"analyze": lambda word, **more: toolkit.analyze(word, **more), "migrate": lambda word, **more: toolkit.migrate(word, output=work / "w", **more),
             "migrate to": lambda word, **more: toolkit.migrate(project, output=word, **more),
             "convert": lambda word, **more: toolkit.convert(word, work / "w", **more),
             "convert to": lambda word, **more: toolkit.convert(checkpoint, word, **more),
             "verify": lambda word: toolkit.verify(word), "verify against": lambda word: toolkit.verify(checkpoint, against=word),
             "inspect": lambda word: toolkit.inspect(word)}
    for what, call in calls.items():
        for wrong in (7, b"bytes", ["a"], {"a": 1}, object(), 1.5, None):
            if (what, wrong) != ("verify against", None):
                raises(TypeError, what, lambda: call(wrong))
        raises(ValueError, what, lambda: call("a\0b"))
        raises(ValueError, what, lambda: call(""))
    for what in ("analyze", "migrate", "convert"):
        for name in ("report=evil", "torch version", "-q", "", "a.b"):
            raises(TypeError, f"{what} {name!r}", lambda: calls[what](project, **{name: True}))
        for wrong in (b"bytes", {"a": 1}, object(), [["a"]], {1}):
            raises(TypeError, f"{what} {wrong!r}", lambda: calls[what](project, torch_version=wrong))
        raises(ValueError, what, lambda: calls[what](project, torch_version="2\0"))
        raises(toolkit.ToolError, what, lambda: calls[what](project, help=True))  # which is no JSON
    raises(toolkit.UsageError, "report", lambda: toolkit.analyze(project, report=True))
    raises(toolkit.UsageError, "report", lambda: toolkit.analyze(project, report=True, diff=True))
    raises(toolkit.UsageError, "to", lambda: toolkit.convert(checkpoint, work / "w", to=True))
    raises(TypeError, "on_progress", lambda: toolkit.convert(checkpoint, work / "w", on_progress=7))
    assert not (work / "w").exists()


def raises(kind, what, call):
    try:
        call()
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error
    raise AssertionError(f"{what}: no {kind.__name__}")


def bad_rules(work):
    (work / "bad_rules").mkdir()
    (work / "bad_rules/own.json").write_text("{")
    return work / "bad_rules"


def main():
    work, project, checkpoint = map(pathlib.Path, sys.argv[1:])
    use_migrator(work, project)
    use_ckpt_convert(work, checkpoint)
    know_every_key(work, checkpoint)
    fail_in_every_way(work, project, checkpoint)
    take_paths_as_paths(work, checkpoint)
    refuse_wrong_arguments(work, project, checkpoint)


if __name__ == "__main__":
    main()
