"""Gives the programs inputs that were changed at random, for every reader that has seeds (seeds.py), and reports and decisions of `apply`.

    programs.py [--runs N] [--only READER] [--record]

Whatever they are given, the programs end by themselves with a documented exit code other than that of a mistake of their own, within the
processor's time of a small input, and print no control character. What fails is kept, and named, below out/fuzz.
Every input follows from the reader's name and its number: a failure comes again. Files of projects are read many in one run, each in a
directory of its own; a run that fails is repeated with each of them alone.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import figures  # noqa: E402
import seeds  # noqa: E402
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

SANITIZED = bool(os.environ.get("MIGRATION_SANITIZE"))
SECONDS = 600 if SANITIZED else 20      # of the processor
DONE = (0, 1)                           # of a command that has done its work: 1 is an answer
CODES = (0, 1, 2, 3, 4, 5, 6, 71)       # docs/reference/exit-codes.md, without 70
TOGETHER = 25                           # files of one project
KEPT = ROOT / "out/fuzz/programs"
LARGE = 1 << 22                         # bytes of a file that only has to be long enough
SAVED = {}                              # the data files of a torch_dist checkpoint, by its .metadata
REPORTED = "import torch\nx.cuda()\ntorch.cuda.init()\n"
NUMBERS = [b"0", b"-1", b"1e308", b"18446744073709551616", b"9" * 40, b"NaN", b"null", b"\"\"", b"[]", b"{}"]
BYTES = [b"\0", b"\xff", b"\x1b[31m", b"\xe2\x80\xae", b"\r\n", b"\"", b"\\", b"/../", b"%s", b"\x80\x02", b"PK\x03\x04"]
ANALYZE = [["migrator", "analyze", "{}", "-q", "--no-config", "--json", "-j", "1"], ["migrator", "migrate", "{}", "-o", "{}.out", "-q", "--apply", "review", "-j", "1"]]


def changed(content, others, chance):
    """One to six changes: bits, pieces, numbers, parts of another seed."""
    out = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(out) + 1)
        end = min(len(out), at + chance.choice((1, 2, 8, 64, 512)))
        kind = chance.randrange(7)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del out[at:end]
        elif kind == 2:
            out[at:at] = out[at:end] * chance.choice((1, 2, 50))
        elif kind == 3:
            out[at:end] = chance.choice(NUMBERS + BYTES)
        elif kind == 4:
            out[at:at] = chance.choice(BYTES)
        elif kind == 5:
            other = chance.choice(others)
            begin = chance.randrange(len(other) + 1)
            out[at:end] = other[begin:begin + chance.choice((8, 64, 512))]
        elif at + 8 <= len(out):
            struct.pack_into(chance.choice("<>") + "Q", out, at, chance.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(out))))
    return bytes(out)


# ---- what a reader is given: a function of a folder and the bytes, and the commands ----

def project(name):
    return (lambda folder, content: (folder / name).write_bytes(content)), ANALYZE


def write_git_index(folder, content):
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git/index").write_bytes(content)
    (folder / "t.py").write_text("import torch\n")


def file(name, *commands):
    return lambda folder, content: (folder / name).write_bytes(content), list(commands)


def write_settings(folder, content):
    names = ["Dockerfile", "Makefile", "t.ini", "t.env", "t.toml", "justfile", "requirements.txt", "environment.yml"]
    (folder / names[content[0] % len(names) if content else 0]).write_bytes(content[1:])


def write_model(folder, config=None):
    (folder / "hf").mkdir()
    usual = seeds.case_of("llama2")["config"]
    (folder / "hf/config.json").write_bytes(config if config is not None else json.dumps(usual).encode())


def write_script(folder, content):
    write_model(folder)
    (folder / "t").write_bytes(content[1:])


def write_index(folder, content):
    """With the files that it names, of the model's shapes or three values for each tensor, as far as it can be read."""
    write_model(folder)
    (folder / "hf/model.safetensors.index.json").write_bytes(content)
    try:
        places = dict(json.loads(content)["weight_map"])
    except (ValueError, KeyError, TypeError):
        return
    shapes = seeds.case_of("llama2")["hf"]
    for name in (name for name in set(map(str, places.values())) if re.fullmatch(r"[\w.-]{1,99}safetensors", name)):
        (folder / "hf" / name).write_bytes(seeds.safetensors({tensor: shapes.get(tensor, [3]) for tensor, at in places.items() if at == name}))


def write_pickle(folder, content):
    with zipfile.ZipFile(folder / "x.pt", "w") as out:
        out.writestr("a/data.pkl", content)
        out.writestr("a/data/0", bytes(64))
        out.writestr("a/version", "3\n")


def write_header(folder, content):
    """What begins with '{' is the JSON alone, of a file of the size that it asks for."""
    path = folder / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(content)) + content if content.startswith(b"{") else content)
    try:
        ends = [tensor["data_offsets"][1] for tensor in json.loads(content).values() if "data_offsets" in tensor]
        os.truncate(path, path.stat().st_size + min(max([0, *ends]), LARGE))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        pass    # no such JSON


def write_metadata(folder, content):
    """Beside the data files of the seed that it was made of: the one whose words are most like its own."""
    (folder / "dcp").mkdir()
    (folder / "dcp/.metadata").write_bytes(content)
    words = set(seeds.WORD.findall(content))
    source = min(SAVED, key=lambda metadata: len(words ^ set(seeds.WORD.findall(metadata))))
    for name, data in SAVED[source].items():
        (folder / "dcp" / name).write_bytes(data)


def write_profile(folder, content):
    trace, _, table = content.partition(b"\n== kernel_details.csv\n")
    (folder / "trace_view.json").write_bytes(trace)
    (folder / "kernel_details.csv").write_bytes(table)


def write_bundle(folder, content):
    for name, body in seeds.files_of_bundle(content):
        if not name or name.startswith("/") or ".." in name or "\0" in name or len(name) > 200:
            continue
        path = folder / "c" / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        except OSError:
            continue    # a file where a folder was


def write_report(folder, content):
    (folder / "p").mkdir()
    (folder / "p/t.py").write_text(REPORTED)
    (folder / "report.json").write_bytes(content)


INSPECT = [["ckpt_convert", "inspect", "{}/x.pt"], ["ckpt_convert", "inspect", "{}/x.pt", "--json"]]
PROFILE = [["migrator", "compare", "{}/x", "{}/x"], ["migrator", "profile", "{}/x"]]
CHECKPOINT = [["ckpt_convert", "inspect", "{}/c"], ["ckpt_convert", "verify", "{}/c"], ["ckpt_convert", "{}/c", "{}/out", "-q"]]
READERS = {
    "python": project("t.py"), "notebook": project("t.ipynb"), "shell": project("t.sh"), "yaml": project("t.yaml"), "cuda": project("t.cu"),
    "toml": project("pyproject.toml"), "settings": (write_settings, ANALYZE),
    "json": file("a.json", ["migrator", "rules", "check", "{}"], ["migrator", "analyze", "{}", "-q", "--no-config"]),
    "launch": (write_script, [["ckpt_convert", "launch", "--check", "{}/t", "--model", "{}/hf"]]),
    "ops": file("x", ["migrator", "ops", "{}/x", "--json"]), "index": (write_index, [["ckpt_convert", "inspect", "{}/hf"], ["ckpt_convert", "verify", "{}/hf"]]),
    "pickle": (write_pickle, INSPECT), "zip": file("x.pt", *INSPECT), "torch_file": file("x.pt", *INSPECT),
    "safetensors": (write_header, [["ckpt_convert", "inspect", "{}/x.safetensors"]]),
    "torch_dist": (write_metadata, [["ckpt_convert", "inspect", "{}/dcp"]]),
    "profile": (write_profile, [["migrator", "compare", "{}/trace_view.json", "{}/trace_view.json"], ["migrator", "profile", "{}/trace_view.json"]]),
    "git_index": (write_git_index, ANALYZE), "database": file("x", *PROFILE), "checkpoint": (write_bundle, CHECKPOINT),
    "config": (write_model, [["ckpt_convert", "launch", "{}/hf", "{}/out", "--devices", "2", "--tp", "2"], ["ckpt_convert", "plan", "{}/hf", "--devices", "8", "--device", "a2"]]),
    "report": (write_report, [["migrator", "apply", "{}/report.json", "--project", "{}/p", "-o", "{}/out"], ["migrator", "report", "diff", "{}/report.json", "{}/report.json"]]),
}


def make_seeds(directory):
    """By reader."""
    made = seeds.make(directory)
    report = directory / "project"
    report.mkdir()
    (report / "t.py").write_text(REPORTED)
    run(tool("migrator"), "analyze", report, "-q", "--no-config", "--report", directory / "r")
    out = {name: [path.read_bytes() for path in sorted((directory / name / "seeds").iterdir())] for name in made}
    for content in out["checkpoint"]:
        files = {name.rpartition("/")[2]: data for name, data in seeds.files_of_bundle(content)}
        if metadata := files.pop(".metadata", None):
            SAVED[metadata] = {name: data for name, data in files.items() if name.endswith(".distcp")}
    return {**out, "report": [(directory / "r/report.json").read_bytes()]}


def control_character(output):
    """The first one that a terminal could obey; None: there is none."""
    text = output.decode(errors="surrogateescape")
    return next((c for c in text if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f"), None)


def problems(folder, commands):
    """What is wrong with the runs of these commands, and how they ended."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wrong, ends = [], []
    for command in commands:
        words = [word.replace("{}", str(folder)) for word in command[1:]]
        done = subprocess.run([tool(command[0]), *words], stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=limits)
        ends.append(done.returncode)
        shown = " ".join(command)
        if done.returncode not in CODES:
            wrong.append(f"{shown}: ended with {done.returncode}: {done.stderr[-200:]!r}")
        for output in (done.stdout, done.stderr):
            if (character := control_character(output)) is not None:
                wrong.append(f"{shown}: prints {character!r}")
    return wrong, ends


def input_of(reader, number, inputs):
    chance = random.Random(f"{reader} {number}")
    return changed(chance.choice(inputs), inputs, chance)


def tried(reader, contents, folder):
    """One run of the reader's commands on these inputs: what is wrong, and how they ended."""
    write, commands = READERS[reader]
    folder.mkdir()
    for number, content in enumerate(contents):
        place = folder if len(contents) == 1 else folder / str(number)
        place.mkdir(exist_ok=True)
        write(place, content)
    wrong, ends = problems(folder, commands)
    shutil.rmtree(folder)
    shutil.rmtree(f"{folder}.out", ignore_errors=True)
    return wrong, ends


def check_together(reader, numbers, inputs, work):
    wrong, ends = tried(reader, [input_of(reader, number, inputs) for number in numbers], work / f"{reader}{numbers[0]}")
    return [f"{reader} {number_text(numbers)}: {problem}" for problem in wrong], ends


def number_text(numbers):
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def check_reader(checks, reader, inputs, work):
    """Each command does its work on one of the inputs as they are; else changes of them would only try its first refusal."""
    commands, done = READERS[reader][1], set()
    for content in inputs:
        wrong, ends = tried(reader, [content], work / reader)
        checks.expect(not wrong, f"{reader}, as it is: {'; '.join(wrong)}")
        done |= {at for at, end in enumerate(ends) if end in DONE}
        if len(done) == len(commands):
            return
    left = [" ".join(command) for at, command in enumerate(commands) if at not in done]
    checks.expect(False, f"{reader}: no input as it is ends with 0 or 1: {left}")


def check_run(reader, numbers, inputs, work):
    wrong, ends = check_together(reader, numbers, inputs, work)
    if wrong and len(numbers) > 1:
        alone = [problem for number in numbers for problem in check_together(reader, [number], inputs, work)[0]]
        wrong = alone or wrong
    if wrong:
        KEPT.mkdir(parents=True, exist_ok=True)
        for number in numbers:
            (KEPT / f"{reader}{number}").write_bytes(input_of(reader, number, inputs))
    return wrong, ends


def groups(reader, runs):
    """Numbers of inputs that are read in one run."""
    size = TOGETHER if READERS[reader][1] is ANALYZE else 1
    return [range(first, min(first + size, runs)) for first in range(0, runs, size)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=5000, help="inputs of each reader")
    options.add_argument("--only", help="this reader")
    options.add_argument("--record", action="store_true", help="write the figures into docs/reference/verified.md")
    args = options.parse_args()
    checks, rows = Checks(), []
    # PROPERTY_SHARE: of builds in which they take long, where one input of a reader is enough.
    runs = 1 if "PROPERTY_SHARE" in os.environ else args.runs
    with temporary_directory() as directory, ThreadPoolExecutor(os.cpu_count()) as pool:
        work = Path(directory)
        inputs = make_seeds(work / "seeds")
        checks.equal(sorted(inputs), sorted(READERS), "readers that have seeds")
        for reader in [args.only] if args.only else READERS:
            if "PROPERTY_SHARE" not in os.environ:
                check_reader(checks, reader, inputs[reader], work)
            ended = Counter()
            for wrong, ends in pool.map(lambda numbers, reader=reader: check_run(reader, numbers, inputs[reader], work), groups(reader, runs)):
                checks.expect(not wrong, "\n".join(wrong))
                ended.update(ends)
            rows.append([reader, runs, sum(ended.values()), ", ".join(f"{code}: {count}" for code, count in sorted(ended.items()))])
    if args.record and not checks.failures:
        figures.record("mutations", rows)
    checks.finish()


if __name__ == "__main__":
    main()
