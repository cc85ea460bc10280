"""Puts hostile text wherever text can enter the two programs, and reads everything that they print or write for people.

    shown_text.py [--count N] [--seed N]      N rounds of random text for each place

No control character but the ends of lines and tabs of the programs themselves may come out, no mark that turns the
direction of writing, nothing without width and nothing that is no UTF-8; an error is one line. What is escaped can be
read: the escapes of the hostile text are looked for in the message.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, temporary_directory, tool  # noqa: E402
from checkpoints import read_safetensors, write_safetensors  # noqa: E402
from patience import patience  # noqa: E402

# base/printable.h, as the Unicode tables have them.
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                    "\ufffe\uffff\U000e0000-\U000e007f]|\r(?!\n)")
PIECES = ["a", "\u6a21\u578b", "\x1b[31m", "\x1b]0;title\x07", "\n", "\r", "\r\n", "\t", "\x7f", "\x9b2J", "\u202e", "\u2066", "\u200b", "\u2028",
          "\ufeff", "\U000e0041", "\\x1b", "\b", "\x0c", "'", '"', "`", "|", "<", "%0A", "::error::"]


def hostile(rng, without=""):
    text = "".join(rng.choice(PIECES) for _ in range(6)) + "\x1b[2J\u202e\n"
    return "".join(c for c in text if c not in without)


def is_clean(checks, what, content):
    """`content`: bytes that somebody may see."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        checks.expect(False, f"{what}: not UTF-8: {problem}: {content[:200]!r}")
        return
    found = HIDDEN.search(text)
    checks.expect(found is None, f"{what}: {text[max(0, found.start() - 60):found.end() + 20]!r}" if found else "")


def shown(checks, what, arguments, cwd, fails=None, lists=False):
    """Runs a program; `fails`: whether it must (None: it may); `lists`: what is wrong is a list, and no message."""
    done = subprocess.run(arguments, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=patience(300))
    is_clean(checks, f"{what}: standard output", done.stdout)
    is_clean(checks, f"{what}: standard error", done.stderr)
    if lists:
        checks.expect(done.stdout.count(b"\n") > 1 and not done.stderr, f"{what}: no list {done.stdout!r} {done.stderr!r}")
    elif done.returncode not in (0, 1):
        checks.equal(done.stderr.count(b"\n"), 1, f"{what}: lines of the message {done.stderr!r}")
    checks.expect(done.returncode in (0, 1, 2, 3, 4, 5, 6), f"{what}: ended with {done.returncode}")
    if fails is not None:
        checks.equal(done.returncode not in (0, 1), fails, f"{what}: whether it failed: {done.stderr!r}")
    return done


# ckpt_convert: each spoils the checkpoint `hf` in `work`, and gives command lines.


def tensor_names(rng, work):
    path = next((work / "hf").glob("*.safetensors"))
    tensors = list(read_safetensors(path).items())
    name, tensor = tensors[0]
    write_safetensors(path, {hostile(rng) + name: tensor, **dict(tensors[1:])})


def weight_map(rng, work):
    path = work / "hf/model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {}, "weight_map": {f"w{hostile(rng)}": hostile(rng) + "\0.safetensors"}}))


def model_type(rng, work):
    path = work / "hf/config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "model_type": hostile(rng)}))


def config_value(rng, work):
    path = work / "hf/config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "num_hidden_layers": hostile(rng), "torch_dtype": hostile(rng)}))


def config_key(rng, work):
    path = work / "hf/config.json"
    twice = json.dumps(hostile(rng))
    path.write_text(path.read_text().rstrip()[:-1] + f", {twice}: 1, {twice}: 2}}")


def tracker(rng, work):
    (work / "hf/config.json").unlink()
    (work / "hf/latest_checkpointed_iteration.txt").write_text(hostile(rng))


def no_json(rng, work):
    (work / "hf/config.json").write_text(hostile(rng))


CHECKPOINTS = [tensor_names, weight_map, model_type, config_value, config_key, tracker, no_json]


def check_converter(checks, rng, work):
    program = tool("ckpt_convert")
    for spoil in CHECKPOINTS:
        directory = work / spoil.__name__
        directory.mkdir()
        if not make_tiny(checks, "llama2", directory / "hf"):
            return
        spoil(rng, directory)
        for arguments in (["inspect", "hf"], ["inspect", "hf", "--json"], ["verify", "hf"],
                          ["--load-dir", "hf", "--save-dir", "out", "--dry-run", "--show-plan"]):
            shown(checks, f"ckpt_convert {arguments} of {spoil.__name__}", [program, *arguments], directory)
    text = hostile(rng, without="\0")
    for arguments in (["inspect", text], ["--load-dir", text, "--save-dir", text], ["--" + text], [text], ["models", "show", text],
                      ["--load-dir", "hf", "--save-dir", "o", "--target", text], ["--load-dir", "hf", "--save-dir", "o", "--tp", text]):
        shown(checks, f"ckpt_convert {arguments}", [program, *arguments], work / "tensor_names", fails=True)


# migrator


def project(rng, work):
    """Files with hostile names, and hostile text in what findings speak of."""
    root = work / hostile(rng, without="\0/")
    root.mkdir()
    (root / (hostile(rng, without="\0/") + ".py")).write_text("import torch\ntorch.cuda.synchronize()\nx.to('cuda')  # \x1b[31m \u202e\n")
    (root / "hidden.py").write_text("import torch\ns = '\x1b[2J\u202e'; torch.cuda.synchronize()\ntorch.cuda.is_available('\x9b\u2028')\n", newline="")
    (root / "broken\x1b.py").write_text("def f(:\n")
    (root / b"bytes\xff\x1b.py".decode(errors="surrogateescape")).write_text("import torch\ntorch.cuda.init()\n")
    (root / "requirements.txt").write_text("apex\x1b[31m\nflash-attn==\u202e1\n")
    return root


def check_reports(checks, rng, work):
    migrator = tool("migrator")
    root = project(rng, work)
    shown(checks, "analyze", [migrator, "analyze", root.name, "-v"], work, fails=False)
    for option in (["--json"], ["--format", "github"]):
        shown(checks, f"analyze {option}", [migrator, "analyze", root.name, *option], work, fails=False)
    formats = "html,json,diff,markdown,csv,transplant,sarif,gitlab,junit"
    shown(checks, "migrate", [migrator, "migrate", root.name, "-o", "out", "--report", "report", "--format", formats], work, fails=False)
    written = [path for path in (work / "report").rglob("*") if path.is_file()]
    checks.expect(len(written) >= 8, f"only {written} were written")
    for path in written:
        # A diff in a file is for `git apply`, and the page shows its data as text.
        if path.suffix in (".md", ".csv", ".sarif", ".xml", ".json"):
            is_clean(checks, f"report {path.name}", path.read_bytes())
    shown(checks, "apply", [migrator, "apply", "report/report.json", "-o", "copy"], work)
    shown(checks, "undo", [migrator, "undo", hostile(rng, without="\0")], work, fails=True)


def check_messages(checks, rng, work):
    migrator = tool("migrator")
    text = hostile(rng, without="\0")
    (work / "good").mkdir()
    (work / "good/a.py").write_text("import torch\ntorch.cuda.init()\n")
    for arguments in (["analyze", text], ["explain", text], [text], ["analyze", "good", "--" + text], ["analyze", "good", "--style", text],
                      ["analyze", "good", "--rules", text], ["apply", text], ["report", "diff", text, text]):
        shown(checks, f"migrator {arguments}", [migrator, *arguments], work, fails=True)
    toml = json.dumps(text.encode("ascii", "ignore").decode())  # TOML has no surrogates
    for content in (f"[tool.migrator]\n{toml} = 1\n", f"[tool.migrator]\nstyle = {toml}\n", f"[tool.migrator\n{text}"):
        (work / "good/pyproject.toml").write_text(content)
        shown(checks, f"settings {content!r}", [migrator, "analyze", "good"], work, fails=True)
    (work / "good/pyproject.toml").unlink()
    (work / "rules").mkdir(exist_ok=True)
    rule = {"id": text, "kind": text, "severity": "info", "message": "m", "source": "s"}
    for content in ({"schema": 1, "about": "x", "rules": [rule]}, {"schema": 1, text: 1}, {"schema": 1, "about": "x", "rules": [{text: text}]}):
        (work / "rules/a.json").write_text(json.dumps(content))
        shown(checks, f"rules {content}", [migrator, "analyze", "good", "--rules", "rules"], work, fails=True)
        shown(checks, f"rules check {content}", [migrator, "rules", "check", "rules"], work, fails=True, lists=True)


def check_escape(checks, work):
    """The escape of each kind of character, in a message; a name of other scripts stays."""
    done = subprocess.run([tool("migrator"), "analyze", "\u6a21\u578b\x1b[31m\n\x9b\u202e\\x1b"], cwd=work, capture_output=True)
    checks.expect("\u6a21\u578b\\x1b[31m\\x0a\\u009b\\u202e\\x5cx1b".encode() in done.stderr, f"escapes: {done.stderr!r}")


def check_terminal(checks, work):
    """On a terminal a diff is escaped, in a pipe it is exact; colours are the only commands for a terminal."""
    (work / "p").mkdir()
    (work / "p/a.py").write_text("import torch\nx = '\x1b[2J\u202e'; torch.cuda.init()\n")
    command = [tool("migrator"), "migrate", "p", "--diff", "-q"]
    exact = subprocess.run(command, cwd=work, capture_output=True).stdout
    checks.expect("\x1b[2J\u202e'; torch.npu.init()".encode() in exact, f"the diff in a pipe: {exact!r}")
    for arguments in (command, [tool("migrator"), "analyze", "p"]):
        master, slave = os.openpty()
        process = subprocess.Popen(arguments, cwd=work, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        content = b""
        while True:
            try:
                part = os.read(master, 1 << 16)
            except OSError:
                break
            if not part:
                break
            content += part
        os.close(master)
        process.wait()
        own = rb"\x1b\[(0|1|2|31|32|33|36)m|\r[^\r\n\x1b]*\x1b\[K"  # colours, and the bar of the progress
        is_clean(checks, f"{arguments} on a terminal", re.sub(own, b"", content))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checks = Checks()
    for number in range(options.count):
        rng = random.Random(f"{options.seed} {number}")
        for check in (check_converter, check_reports, check_messages):
            with temporary_directory() as directory:
                check(checks, rng, Path(directory))
    for check in (check_escape, check_terminal):
        with temporary_directory() as directory:
            check(checks, Path(directory))
    checks.finish()


if __name__ == "__main__":
    main()
