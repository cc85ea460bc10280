"""What ends a run from outside: one signal, and a reader that goes away.

    ended.py [NAME]

Every command of both programs, as their help lists them, is among those below. A command that only reads ends by the first SIGINT, SIGTERM or SIGHUP at once, with 128 + the number of the signal; one that writes cleans up
and ends soon, measured in processor time. Where nobody reads any more, a command ends in silence with 141; one that writes is done first. Started without standard input, output or error, a command
neither fails otherwise than by that, nor writes there into a file of its own.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, make_tiny, run_ok, temporary_directory, tool  # noqa: E402
from command_lines import commands_of  # noqa: E402
from patience import patience  # noqa: E402

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SLOWER = 20 if os.environ.get("MIGRATION_SANITIZE") else 1
BEFORE, AFTER = 0.05, 0.5 * SLOWER  # seconds of processor time: until the signal, and from it to the end
UNREAD = 141
TRIES = 20  # of a command that may be done before its signal comes
CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def small_inputs(work):
    (work / "p").mkdir()
    (work / "p/train.py").write_text("import torch\nx = torch.zeros(3).cuda()\n")
    (work / "list").write_text("aten::add\n")
    (work / "t.json").write_text(trace(3))
    make_tiny(Checks(), "qwen3", work / "hf", "--layers", "1")
    for made in (["migrate", "p", "-o", "copy", "--record", "record"], ["analyze", "p", "--report", "r"]):
        run_ok(Checks(), tool("migrator"), *made, "-q", cwd=work)
    run_ok(Checks(), tool("ckpt_convert"), "launch", "hf", "l", "--tp", "2", cwd=work)


def trace(count):
    events = [{"ph": "X", "name": f"k{i % 5000}", "cat": "kernel", "pid": 0, "tid": i % 7, "ts": i * 10, "dur": i % 9 + 1} for i in range(count)]
    return json.dumps({"traceEvents": events})


def big_inputs(work):
    """They keep a command at work for many times BEFORE."""
    (work / "p").mkdir()
    lines = "".join(f"def f{i}(x):\n    return x.cuda() + torch.zeros({i}, device='cuda')\n" for i in range(1500))
    for number in range(12):
        (work / f"p/m{number}.py").write_text("import torch\n" + lines)
    (work / "t.json").write_text(trace(200000))
    (work / "list").write_text("".join(f"aten::op_{i}\n" for i in range(200000)))
    header = {f"t{i}": {"dtype": "F32", "shape": [1], "data_offsets": [i * 4, i * 4 + 4]} for i in range(200000)}
    text = json.dumps(header).encode()
    (work / "w.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(4 * len(header)))
    make_tiny(Checks(), "qwen3", work / "hf", "--layers", "200")
    run_ok(Checks(), tool("ckpt_convert"), work / "hf", work / "mg", "--tp", "2")
    run_ok(Checks(), tool("migrator"), "analyze", "p", "--report", "r", "-q", cwd=work)
    shutil.copytree(work / "p", work / "done")
    run_ok(Checks(), tool("migrator"), "migrate", "done", "--in-place", "--record", "record", "-q", cwd=work)


def seconds_of(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def names(work):
    return sorted(str(path.relative_to(work)) for path in work.rglob("*"))


def ended_by(number, command, work, is_due):
    """The exit code, and the processor time from the signal to the end."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([tool(command[0]), *map(str, command[1:])], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    while not is_due(process) and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.002)
    before = seconds_of(process)
    process.send_signal(number)
    process.communicate(timeout=patience(300))
    done = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process.returncode, done.ru_utime + done.ru_stime - spent.ru_utime - spent.ru_stime - before


READING = {
    "analyze": ("migrator", "analyze", "p"), "migrate --diff": ("migrator", "migrate", "p", "--diff"),
    "profile": ("migrator", "profile", "t.json"), "compare": ("migrator", "compare", "t.json", "t.json"),
    "ops": ("migrator", "ops", "list"), "rules test": ("migrator", "rules", "test", ROOT / "rules"),
    "inspect": ("ckpt_convert", "inspect", "w.safetensors"), "verify": ("ckpt_convert", "verify", "hf", "--against", "mg"),
    "plan": ("ckpt_convert", "plan", "hf", "--devices", "4096", "--device", "a2"), "dry run": ("ckpt_convert", "hf", "o", "--tp", "2", "--dry-run"),
    "many threads": ("ckpt_convert", "verify", "hf", "--against", "mg", "-j", "16"),
}
WRITING = {
    "migrate": ("migrator", "migrate", "p", "-o", "o"), "convert": ("ckpt_convert", "hf", "o", "--tp", "4"),
    "convert with threads": ("ckpt_convert", "hf", "o", "--tp", "4", "-j", "8"),
}

# Sources of a project change, or none of them: (the command, what it may make of them).
IN_PLACE = {
    "apply --in-place": ("migrator", "apply", "r", "--project", "p", "--in-place"), "undo": ("migrator", "undo", "record", "--project", "done"),
    "reapply --in-place": ("migrator", "reapply", "record", "--project", "p", "--in-place"),
}
# Done before most signals come: they end by themselves or by the signal, and what they make is whole or not there.
SHORT = {
    "apply -o": ("migrator", "apply", "r", "--project", "p", "-o", "o"),
    "reapply -o": ("migrator", "reapply", "record", "--project", "p", "-o", "o"),
    "explain": ("migrator", "explain", "torch.cuda.amp.autocast"), "schema": ("migrator", "schema", "report"), "rules": ("migrator", "rules"),
    "rules list": ("migrator", "rules", "list"), "rules operators": ("migrator", "rules", "operators"), "rules check": ("migrator", "rules", "check", ROOT / "rules"),
    "rules new": ("migrator", "rules", "new", "o/own.json"), "report": ("migrator", "report", "diff", "r", "r"), "report diff": ("migrator", "report", "diff", "r", "r"),
    "completion": ("migrator", "completion", "bash"), "launch": ("ckpt_convert", "launch", "hf", "o", "--tp", "2"),
    "launch --check": ("ckpt_convert", "launch", "--check", "l/pretrain.sh", "--model", "hf"), "commit": ("ckpt_convert", "commit", "mg"),
    "plan-conversion": ("ckpt_convert", "plan-conversion", "hf", "o", "--tp", "2"), "convert, refused": ("ckpt_convert", "convert", "no", "o"),
    "models": ("ckpt_convert", "models"), "models list": ("ckpt_convert", "models", "list"), "models show": ("ckpt_convert", "models", "show", "qwen3"),
    "models check": ("ckpt_convert", "models", "check", ROOT / "rules/models/qwen3.json"), "models schema": ("ckpt_convert", "models", "schema"),
    "its completion": ("ckpt_convert", "completion", "bash"),
}
SERVING = ("migrator", "serve", "r")


@check
def every_command(checks, work):
    """The commands of the help are those that are looked at here."""
    named = [list(map(str, command)) for command in [*READING.values(), *WRITING.values(), *IN_PLACE.values(), *SHORT.values(), SERVING]]
    for name in ("migrator", "ckpt_convert"):
        for command in commands_of(name):
            checks.expect(any(line[:len(command.words) + 1] == [name, *command.words] for line in named), f"{name} {' '.join(command.words)} is not looked at")


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@check
def one_signal_in_short(checks, work):
    """Of commands that change sources, and of short ones: before they have begun, and in the middle."""
    base = work / "base"
    base.mkdir()
    small_inputs(base)
    shutil.copytree(base / "copy", base / "done")
    for place, (what, command) in enumerate([*IN_PLACE.items(), *SHORT.items()]):
        before = contents(base)
        whole = work / f"whole_{place}"
        shutil.copytree(base, whole)
        code = subprocess.run([tool(command[0]), *map(str, command[1:])], cwd=whole, stdin=subprocess.DEVNULL, capture_output=True).returncode
        for seconds in (0, 0.01 * (place % 4)):
            number = SIGNALS[place % len(SIGNALS)]
            run = work / f"run_{place}_{seconds}"
            shutil.copytree(base, run, dirs_exist_ok=True)
            ended, after = ended_by(number, command, run, lambda process, seconds=seconds: seconds_of(process) >= seconds)
            checks.expect(ended in (code, 128 + number, -number), f"{what}, {number.name}: {ended}")
            checks.expect(after < AFTER, f"{what}, {number.name}: {after:.2f} s after the signal")
            states = [names_and_texts(state) for state in (before, contents(whole))]
            checks.expect(names_and_texts(contents(run)) in states, f"{what}, {number.name}: neither as it was nor done")
            shutil.rmtree(run)
        shutil.rmtree(whole)


def names_and_texts(files):
    """Without what is kept for the way back, which may be there for a change that was taken back, and what has the time in it."""
    return {path: b"" if path.endswith(".json") else data for path, data in files.items() if not {"record", "applied", "applied_2"} & set(Path(path).parts)}


def without(closed, command, work):
    """Started with these of its three descriptors closed."""
    process = subprocess.Popen([tool(command[0]), *map(str, command[1:])], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: [os.close(number) for number in closed])
    return process


@check
def closed_descriptors(checks, work):
    small_inputs(work)
    making = [*((*start, "made", *more) for start, more in MAKING), ("migrator", "apply", "r", "--in-place")]
    ways = ((0,), (1,), (2,), (1, 2), (0, 1, 2))
    for place, command in enumerate([*making, *SAYING, ("migrator", "analyze", "-")]):
        states = {}
        before = contents(work)
        for closed in ((), *(ways if place < len(making) else [ways[place % len(ways)]])):
            with without(closed, command, work) as process:
                process.communicate(timeout=patience(60))
            states[closed] = {path: data for path, data in contents(work).items() if path not in before or data != before[path]}
            known = {0, 1} | ({6} if 1 in closed else set()) | ({4} if 0 in closed and command[-1] == "-" else set())
            checks.expect(process.returncode in known, f"{' '.join(map(str, command))} without {closed}: {process.returncode}")
            checks.equal(sorted(path for path, data in states[closed].items() if states[()].get(path) != data and not path.endswith((".html", "json"))), [],
                         f"{' '.join(map(str, command))} without {closed}: files")
            for path in states[closed]:
                (work / path).unlink()
            for path, data in before.items():
                (work / path).write_bytes(data)
            for folder in ("made", "made_report"):
                shutil.rmtree(work / folder, ignore_errors=True)
    # None of them is ever a file, a socket or a lock of the program.
    for closed in ((0,), (1,), (2,), (0, 1, 2)):
        process = without(closed, SERVING, work)
        links = {}
        while process.poll() is None and not any("socket" in link for link in links.values()):
            time.sleep(0.01)
            links = {}
            for entry in Path(f"/proc/{process.pid}/fd").iterdir():
                try:
                    links[int(entry.name)] = os.readlink(entry)
                except FileNotFoundError:
                    pass
        for number in closed:
            checks.equal(links.get(number), "/dev/null", f"serve without {closed}: what {number} is")
        process.terminate()
        process.communicate(timeout=patience(60))


def clear(work, before):
    for name in sorted(set(names(work)) - set(before), reverse=True):
        path = work / name
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@check
def one_signal(checks, work):
    big_inputs(work)
    before = names(work)
    for place, (what, command) in enumerate(READING.items()):
        number = SIGNALS[place % len(SIGNALS)]
        code, seconds = ended_by(number, command, work, lambda process: seconds_of(process) >= BEFORE)
        checks.equal(code, 128 + number, f"{what}, {number.name}")
        checks.expect(seconds < AFTER, f"{what}, {number.name}: {seconds:.2f} s after the signal")
    for what, command in WRITING.items():
        for number in SIGNALS:
            for _ in range(TRIES):
                code, seconds = ended_by(number, command, work, lambda process: len(os.listdir(work)) > len(set(Path(name).parts[0] for name in before)))
                if code != 0:
                    break
                clear(work, before)  # it was done before the signal came
            checks.equal(code, 128 + number, f"{what}, {number.name}")
            checks.expect(seconds < AFTER, f"{what}, {number.name}: {seconds:.2f} s after the signal")
            checks.equal(names(work), before, f"{what}, {number.name}: what is there")
            clear(work, before)


def unread(command, work, both=False):
    """As behind a reader that is gone: of standard output, or of both."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([tool(command[0]), *map(str, command[1:])], cwd=work, stdin=subprocess.DEVNULL, stdout=writing,
                          stderr=writing if both else subprocess.PIPE)
    os.close(writing)
    return done.returncode, done.stderr or b""


SAYING = [
    ("migrator", "--help"), ("migrator", "--version"), ("migrator", "--licenses"), ("migrator", "help", "migrate"), ("migrator", "completion", "bash"),
    ("migrator", "analyze", "p"), ("migrator", "analyze", "p", "--json", "-q"), ("migrator", "migrate", "p", "--diff", "-q"), ("migrator", "migrate", "p", "--check"),
    ("migrator", "explain", "torch.cuda.amp.autocast"), ("migrator", "rules", "list"), ("migrator", "rules", "list", "--json"),
    ("migrator", "rules", "operators"), ("migrator", "schema", "report"), ("migrator", "ops", "list"), ("migrator", "compare", "t.json", "t.json"),
    ("migrator", "profile", "t.json"), ("migrator", "profile", "t.json", "--json"), ("migrator", "report", "diff", "r/report.json", "r/report.json"),
    ("ckpt_convert", "--help"), ("ckpt_convert", "--help-all"), ("ckpt_convert", "models"), ("ckpt_convert", "models", "show", "qwen3"),
    ("ckpt_convert", "models", "schema"), ("ckpt_convert", "inspect", "hf"), ("ckpt_convert", "inspect", "hf", "--json"),
    ("ckpt_convert", "verify", "hf"), ("ckpt_convert", "verify", "hf", "--json"), ("ckpt_convert", "plan", "hf", "--devices", "8", "--device", "a2"),
    ("ckpt_convert", "hf", "o", "--tp", "2", "--dry-run"), ("ckpt_convert", "launch", "hf", "--check", "l/pretrain.sh"),
]
MAKING = [
    (("migrator", "migrate", "p", "-o"), []), (("migrator", "analyze", "p", "--report"), []), (("ckpt_convert", "hf"), ["--tp", "2"]),
    (("ckpt_convert", "hf"), ["--tp", "2", "--json"]), (("ckpt_convert", "launch", "hf"), ["--tp", "2"]),
]


@check
def gone_reader(checks, work):
    small_inputs(work)
    for command in SAYING:
        checks.equal(unread(command, work), (UNREAD, b""), " ".join(command))
    checks.equal(unread(("migrator", "analyze", "no"), work, both=True)[0], UNREAD, "an error that nobody reads")
    checks.equal(unread(("migrator", "analyze", "p", "--json"), work, both=True)[0], UNREAD, "a summary that nobody reads")
    for command, more in MAKING:
        run_ok(checks, tool(command[0]), *command[1:], "read", *more, cwd=work)
        checks.equal(unread((*command, "unread", *more), work), (UNREAD, b""), " ".join((*command, *more)))
        # Before its first file it ends at once, later it finishes.
        checks.expect(names(work / "unread") in ([], names(work / "read")), f"{' '.join(command)}: it has made a half: {names(work / 'unread')}")
        for path in list(work.glob("*read*")) + list(work.glob(".*read*")):
            shutil.rmtree(path)


def on_full_disk(command, work):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool(command[0]), *command[1:]], cwd=work, stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    return done.returncode, done.stderr


@check
def full_output(checks, work):
    """Standard output that cannot be written is said; so is that the files of the command are there all the same."""
    small_inputs(work)
    for command in SAYING:
        code, said = on_full_disk(command, work)
        checks.equal((code, said.endswith("cannot write to standard output\n")), (6, True), f"{' '.join(command)}: {said}")
    making = [*(((*command, "read", *more), (*command, "full", *more), "read", "full") for command, more in MAKING),
              (("migrator", "migrate", "p2", "--in-place"), ("migrator", "migrate", "p3", "--in-place"), "p2", "p3")]
    for copy in ("p2", "p3"):
        shutil.copytree(work / "p", work / copy)
    for read, full, wanted, made in making:
        run_ok(checks, tool(read[0]), *read[1:], cwd=work)
        code, said = on_full_disk(full, work)
        checks.equal((code, said.endswith("cannot write to standard output; all files are written\n")), (6, True), f"{' '.join(full)}: {said}")
        checks.equal(names(work / made), names(work / wanted), f"{' '.join(full)}: files")
        if made == "p3":
            checks.equal({path.name: path.read_bytes() for path in (work / made).glob("*.py")},
                         {path.name: path.read_bytes() for path in (work / wanted).glob("*.py")}, "changed sources")
        for path in list(work.glob("*read*")) + list(work.glob("*full*")) + list(work.glob(".*full*")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    checks = Checks()
    for name, function in CHECKS.items():
        if len(sys.argv) > 1 and name != sys.argv[1]:
            continue
        with temporary_directory() as folder:
            function(checks, Path(folder))
    checks.finish()


if __name__ == "__main__":
    main()
