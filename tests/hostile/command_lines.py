"""Command lines that nobody would type, thousands of them, for both programs.

    command_lines.py [NAME] [--lines N] [--each N] [--seed N]

Each ends within a second of processor time, with an exit code of docs/reference/exit-codes.md that is no mistake of ours, and an error is
one line, `NAME: error: ...`. `--lines` is how many each program is given over all its commands, `--each` how many each of its commands.
`special_files` looks at every option and position that the help has: a pipe, a socket or a device there is never waited for. `empty_values`
looks at the same, every fifth without --each: an empty value, which a script has forgotten, is an error; so is the next option in the
place of a value (`missing_values`).
"""

import argparse
import json
import os
import pty
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

CODES = {0, 1, 2, 3, 4, 5, 6, 71}  # docs/reference/exit-codes.md; no signal is sent
SHARE = int(os.environ.get("PROPERTY_SHARE", "1"))  # one N-th of the lines, for builds in which they take long
SERVED = {-signal.SIGTERM, 143}
SECONDS = 1 if not os.environ.get("MIGRATION_SANITIZE") else 20
CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


class Command:
    """A command of a program: its words, its options with their values, and how many positions it has."""

    def __init__(self, words, page):
        self.words = words
        self.options = []  # (name, value)
        self.positions = 0
        self.may_be_empty = {"--weights-key"}  # whose help says what "" means, and those without effect
        part = ""
        for line in page.splitlines():
            part = line if re.match(r"\S.*:$", line) else part
            option = re.match(r"  (-\S.*?)(?:  .*)?$", line)
            if option:
                *names, last = option[1].split(", ")
                name, _, value = last.partition(" ")
                self.options += [(one, value) for one in [*names, name]]
                self.may_be_empty |= {*names, name} if "without effect" in part else set()
            elif part == "Positionals:" and re.match(r"  \S", line):
                self.positions += 1


def commands_of(name):
    """All of them, as the help says."""
    pages = re.split(rf"^({name}(?: [a-z-]+)*)\n-+\n", f"{name}\n--\n" + said(name, "--help-all"), flags=re.M)[1:]
    return [Command(path.split()[1:], page) for path, page in zip(pages[::2], pages[1::2])]


def said(name, *words):
    return subprocess.run([tool(name), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=english()).stdout


def english():
    return {**os.environ, "LC_ALL": "C"}


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ended(name, words, work, serves=False):
    """What the program ends with, and what it says on standard error; None when it waits."""
    with subprocess.Popen([tool(name), *words], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if serves else subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=english(), preexec_fn=limited) as run:
        if serves and run.stdout.readline():
            run.send_signal(signal.SIGTERM)
        try:
            _, errors = run.communicate(timeout=patience(60))
        except subprocess.TimeoutExpired:
            run.kill()
            return None, b""
    return run.returncode, errors


def expect_end(checks, name, words, work):
    serves = "serve" in words
    code, errors = ended(name, words, work, serves)
    shown = f"{name} {' '.join(map(repr, words))}"
    if not checks.expect(code in CODES or (serves and code in SERVED), f"{shown}: ended with {code}: {errors[-300:]!r}"):
        return
    if serves and code in SERVED:
        return
    lines = [line for line in errors.splitlines() if line.startswith(f"{name}: error:".encode())]
    checks.expect((len(lines) == 1) == (code > 1), f"{shown}: {code}, and says {errors[-300:]!r}")


ODD = ["", " ", "-", "--", "---", "=", "--=", "-=", "--x", "-x", "--x=", "++", "\\", "'", '"', "*", "~", "$HOME", "\n", "\x1b[31m", "\t", "0", "-1", "1e9",
       "18446744073709551616", "99999999999999999999999", "nan", "1.5", "true", "模型", "\udcff\udcfe", "x" * 5000, "--" + "y" * 5000, "a,b", ",", "..", "/",
       ".", "//", "/dev/null", "/no/such", "no/such", "%s%n", "{}", "{0}", "[section]", "@file", "http://x/y", "file:1", "file:99999999999"]


def word_of(choice, command, paths):
    kind = choice.random()
    if kind < 0.35 and command.options:
        name, value = choice.choice(command.options)
        values = value.split("|") if "|" in value else paths if value.isupper() else [""]
        return choice.choice([[name], [name, choice.choice(values + ODD)], [f"{name}={choice.choice(values + ODD)}"], [name, name]])
    if kind < 0.6:
        return ["" if choice.random() < 0.3 else choice.choice(ODD)]
    if kind < 0.9:
        return [choice.choice(paths)]
    return ["".join(chr(choice.choice([*range(1, 127), 0xdc80, 0x4e2d])) for _ in range(choice.randint(0, 12)))]


def line_of(choice, command, paths):
    words = list(command.words)
    for _ in range(choice.choice([0, 1, 2, 2, 3, 3, 4, 6, 12])):
        words += word_of(choice, command, paths)
    if choice.random() < 0.1:
        choice.shuffle(words)
    return [word for word in words if not word.startswith("--print-")]


PATHS = ["p", "p/train.py", "empty", "nothing", "t.json", "list", "hf", "hf/config.json", "hf/model.safetensors", "out", "no"]


def tiny_inputs(work):
    """What is at most of PATHS."""
    (work / "p").mkdir()
    (work / "p/train.py").write_text("import torch\nx = torch.zeros(3).cuda()\n")
    (work / "empty").mkdir()
    (work / "nothing").write_bytes(b"")
    (work / "t.json").write_text(json.dumps({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "cat": "kernel", "pid": 0, "tid": 0}]}))
    (work / "list").write_text("aten::add\n")
    make_tiny(Checks(), "qwen3", work / "hf", "--layers", "1")


def give(checks, name, lines):
    with temporary_directory() as folder, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda numbered: in_folder(checks, name, numbered[1], Path(folder) / str(numbered[0] % 2)), enumerate(lines)))


LOCKS = [threading.Lock(), threading.Lock()]


def in_folder(checks, name, words, folder):
    with LOCKS[int(folder.name)]:
        if not folder.exists():
            folder.mkdir()
            tiny_inputs(folder)
        expect_end(checks, name, words, folder)


@check
def known(checks, options):
    """Lines that once did not end, or ended by a mistake of ours."""
    give(checks, "ckpt_convert", [["a", "b", "--x", "", "--y", "z"], ["a", "b", "", "--x"], ["hf", "out", "--", "", "--x"], ["launch", "hf", "out", "", "--tp"],
                                  ["models", "list", "", "--x", "y"], ["plan", "hf", "", "x", "", "--z"]])
    give(checks, "migrator", [["analyze", ".", "--x", "", "--y", "z"], ["migrate", "p", "--x", "", "-y"], ["", "", "--x"], ["rules", "list", "", "-x", "--y"],
                              ["apply", "r", "", "--x", "", "--"], ["compare", "a", "b", "", "-x", "y"]])


@check
def random_lines(checks, options):
    choice = random.Random(options.seed)
    for name in ("ckpt_convert", "migrator"):
        commands = commands_of(name)
        checks.expect(len(commands) > 8, f"{name}: only the commands {[command.words for command in commands]}")
        lines = [line_of(choice, choice.choice(commands), PATHS) for _ in range(options.lines)]
        for command in commands:
            lines += [line_of(choice, command, PATHS) for _ in range(options.each)]
        give(checks, name, lines)


def special_places(name):
    """Of every option with a value and every position of every command: the words, with None where a file stands."""
    for command in commands_of(name):
        needed = ["nothing"] * command.positions
        for number in range(len(needed)):
            yield command.words + [None if at == number else "nothing" for at in range(len(needed))]
        for option, value in command.options:
            if value and "|" not in value and not option.startswith("--print-"):
                yield [*command.words, *needed, option, None]


def empty_places(name):
    """As special_places, with what says itself which values it takes."""
    for command in commands_of(name):
        needed = ["nothing"] * command.positions
        for number in range(len(needed)):
            yield command.words + ["" if at == number else "nothing" for at in range(len(needed))]
        for option, value in command.options:
            if value and not option.startswith("--print-") and option not in command.may_be_empty:
                yield [*command.words, *needed, option, ""]


@check
def empty_values(checks, options):
    with temporary_directory() as folder:
        work = Path(folder)
        tiny_inputs(work)
        for name in ("ckpt_convert", "migrator"):
            places = list(empty_places(name))
            checks.expect(len(places) > 80, f"{name}: only {len(places)} places")
            for words in places[::1 if options.each else 5]:
                code, errors = ended(name, words, work)
                lines = errors.decode().splitlines()
                checks.expect(code == 2 and len(lines) == 1 and lines[0].startswith(f"{name}: error: "), f"{name} {words}: {code}: {errors[-300:]!r}")
        for words in (["verify", "hf", ""], ["hf", "out", "--tp", "2", "--lora-load", ""], ["launch", "hf", "out", "--model", ""], ["--config", "", "hf", "out"]):
            code, errors = ended("ckpt_convert", words, work)
            checks.expect(code == 2 and b"the value is empty" in errors and not (work / "out").exists(), f"{words}: {code}: {errors!r}")
        checks.equal(ended("ckpt_convert", ["hf", "out", "--to", "dcp", "--weights-key", "", "-q"], work), (0, b""), "--weights-key says what an empty value is")


@check
def missing_values(checks, options):
    """The next option is no value: it would be an output directory of that name, and the option would be without effect."""
    with temporary_directory() as folder:
        work = Path(folder)
        tiny_inputs(work)
        places = 0
        for name in ("ckpt_convert", "migrator"):
            for command in commands_of(name):
                for option, value in command.options:
                    if not value or option.startswith("--print-"):
                        continue
                    places += 1
                    if not options.each and places % 9:
                        continue
                    for next_word in ("--help-all", "--"):
                        words = [*command.words, option, next_word]
                        code, errors = ended(name, words, work)
                        # Where a value has a range it is no value anyway.
                        checks.expect(code == 2 and errors.count(b"\n") == 1 and next_word in errors.decode(), f"{name} {words}: {code}: {errors[-300:]!r}")
        checks.expect(places > 200, f"only {places} places")
        code, errors = ended("migrator", ["analyze", "--report", "--json", "p"], work)
        checks.equal((code, errors), (2, b"migrator: error: --report: the value is missing before --json; see migrator analyze --help\n"), "--report --json")
        checks.expect(not (work / "--json").exists(), "there is a report called --json")
        for path in ("./--json", "--csv"):
            code, errors = ended("migrator", ["analyze", "p", f"--report={path}", "-q"], work)
            checks.equal((code, (work / path).is_dir()), (0, True), f"{path} behind = is a path: {errors!r}")


@check
def special_files(checks, options):
    with temporary_directory() as folder:
        work = Path(folder)
        tiny_inputs(work)
        os.mkfifo(work / "pipe")
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(work / "socket"))
        ours, theirs = pty.openpty()
        lines = []
        for name in ("ckpt_convert", "migrator"):
            for words in special_places(name):
                kinds = ["pipe", "socket", os.ttyname(theirs)]
                for path in kinds if options.each else kinds[:1]:
                    lines.append((name, [path if word is None else word for word in words]))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda line: expect_end(checks, *line, work), lines[::SHARE]))
        for name, option in (("ckpt_convert", "--config"), ("migrator", "--config")):
            checks.expect(any(line[0] == name and option in line[1] for line in lines), f"{name} {option} is not looked at")
        print(f"{len(lines)} places")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?", choices=CHECKS)
    parser.add_argument("--lines", type=int, default=300 // SHARE)
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seed", type=int, default=41)
    options = parser.parse_args()
    checks = Checks()
    for name, function in CHECKS.items():
        if options.name in (None, name):
            function(checks, options)
    checks.finish()


if __name__ == "__main__":
    main()
