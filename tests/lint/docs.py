"""Runs the commands that the documentation shows, and checks its links.

In README.md, CONTRIBUTING.md and docs/, every ```console block with a line `$ migrator ...` or `$ ckpt_convert ...` is run
line by line in a directory of its own that has samples/. The other lines are the expected output: each must appear in the
command's output, in this order; `...` stands for any text, alone on a line for any lines. A line `$ echo $?` shows the
exit code of the command before it; otherwise it must be 0. A block with a name behind `console` is a part of a longer story, which a
test of its own follows. The blocks of the Chinese pages are those of the English ones (lint.zh_documents), and are not run again.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, shorten, temporary_directory, tool, tracked_files  # noqa: E402
from patience import patience  # noqa: E402

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
OUR_TOOL = re.compile(r"^\$ (?:build/release/bin/)?(migrator|ckpt_convert)\b", re.M)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)
CHINESE = re.compile(r"\.zh\.md$|^docs/zh/")


def commands(block):
    """[(command, output lines)]; a command goes on over lines that end in a backslash, and up to the END of <<'END'."""
    found = []
    for line in block.splitlines():
        text = found[-1][0] if found else ""
        if text.endswith("\\") or ("<<'END'" in text and not text.endswith("\nEND")):
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
    return found


def line_pattern(line):
    words = re.split(r"\s+", line.strip())
    return re.compile(r"\s*" + r"\s+".join(re.escape(word).replace(r"\.\.\.", ".*") for word in words) + r"\s*")


def check_output(checks, where, wanted, found):
    """Every wanted line in order; the lines found are compared with blanks folded."""
    lines = iter(found.splitlines())
    for line in wanted:
        if line.strip() in ("", "..."):
            continue
        pattern = line_pattern(line)
        if not checks.expect(any(pattern.fullmatch(candidate) for candidate in lines),
                             f"{where}: the output has no line (here) like:\n    {line}\nthe whole output:\n{shorten(found, 4000)}"):
            return


def add_samples(directory):
    (directory / "samples").symlink_to(ROOT / "samples")
    (directory / "build").mkdir()
    (directory / "build/release").symlink_to(Path(tool("migrator")).parents[1])


def run_block(checks, where, block, directory):
    environment = {**os.environ, "PATH": f"{Path(tool('migrator')).parent}:{os.environ['PATH']}", "NO_COLOR": "1",
                   "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}
    steps = commands(block)
    for number, (command, output) in enumerate(steps):
        if command == "echo $?":
            continue
        code = 0
        if number + 1 < len(steps) and steps[number + 1][0] == "echo $?":
            code = int(steps[number + 1][1][0])
        done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=patience(120))
        if checks.equal(done.returncode, code, f"{where}: exit code of `{command}` ({shorten(done.stdout, 1000)})"):
            check_output(checks, f"{where}: `{command}`", output, done.stdout)


def anchor(heading):
    """The fragment that a Markdown viewer makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def check_links(checks, name, text):
    for target in LINK.findall(FENCE.sub("", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, fragment = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        if checks.expect(file.exists(), f"{name}: the link {target} leads nowhere") and fragment:
            anchors = [anchor(heading) for heading in HEADING.findall(file.read_text(encoding="utf-8"))]
            checks.expect(fragment in anchors, f"{name}: the link {target} names no heading")


def main():
    checks = Checks()
    tool("ckpt_convert")
    for name in tracked_files():
        if not name.endswith(".md") or not (name.startswith("docs/") or "/" not in name):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        check_links(checks, name, text)
        for match in FENCE.finditer(text):
            language, block = match.groups()
            if language == "console" and OUR_TOOL.search(block) and not CHINESE.search(name):
                line = text.count("\n", 0, match.start()) + 1
                with temporary_directory() as directory:
                    add_samples(Path(directory))
                    run_block(checks, f"{name}:{line}", block, Path(directory))
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for command in ("./quickstart.sh", "./test.sh"):
            checks.expect(f"\n{command} " in text and os.access(ROOT / command, os.X_OK), f"{name}: does not show {command}, which does the set-up")
    checks.finish()


if __name__ == "__main__":
    main()
