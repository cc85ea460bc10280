"""Checks what every file of the project must keep to: size, forbidden words, line ends, Python and shell syntax."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_fixture, tracked_files  # noqa: E402

MAX_LINES = 400
CPP = (".h", ".cpp")
# C++ files that may be longer, each with the reason.
LONGER = {}

# Broken or Python 2 on purpose.
NOT_PYTHON_3 = re.compile(r"^rules/.*/cases/.*|^tests/(golden|fixtures)/.*/(in|out|input|output|expected)/|^tests/unit/.*/golden/")

# Written in parts, so that this file does not contain them.
FORBIDDEN = [
    (CPP, re.compile(r"\bstd::reg" + r"ex\b|#include\s*<reg" + r"ex>"), "std::reg" + "ex is slow and recurses on its input"),
    (CPP, re.compile(r"std::vie" + r"ws\b|std::ran" + r"ges::views|#include\s*<for" + r"mat>"), "clang 14 does not have it"),
    (None, re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b"), "do it, or say in an ordinary comment what is missing"),
    (None, re.compile(r"(?<![\w.$}~/-])/(wor" + r"k|ro" + r"ot|ho" + r"me|Use" + r"rs)/[\w.]"), "a path of one machine"),
    (None, re.compile(r"(pypi\.o" + r"rg|pythonhos" + r"ted|npmjs\.|npmmir" + r"ror|debian\.o" + r"rg|ubuntu\.c" + r"om|tuna\.tsing" + r"hua|"
                      r"(registry|mirror|mirrors|repo)\.[a-z0-9-]+\.(com|org|net|cn))"), "the name of a package registry's host"),
]
STRUCTURED_BINDING = re.compile(r"\bauto&{0,2}\s*\[([^\]]*)\]")
# What people read goes through base/console.h, which lets nothing through that commands a terminal.
PROGRAMS = ("base/", "ckpt_convert/", "migrator/")
PRINTING = re.compile(r"\bstd::(fputs|fwrite|fputc|puts|putchar|v?f?printf|cout|cerr)\b")
MAY_PRINT = ("base/console.cpp", "base/check.cpp")
BINARY = (".png", ".ico", ".pt", ".bin", ".safetensors", ".zip", ".xz")


def check_text(checks, name, text):
    for suffixes, pattern, reason in FORBIDDEN:
        if suffixes is not None and not name.endswith(suffixes):
            continue
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            checks.expect(False, f"{name}:{line}: \"{match.group()}\": {reason}")
    if is_fixture(name):
        return
    checks.expect("\r" not in text, f"{name}: has carriage returns")
    checks.expect(text.endswith("\n") or not text, f"{name}: the last line has no end")
    if not name.endswith(".md"):
        for number, line in enumerate(text.splitlines(), 1):
            checks.expect(line == line.rstrip(), f"{name}:{number}: blanks at the end of the line")


def check_cpp(checks, name, text):
    lines = text.count("\n")
    if name in LONGER:
        checks.expect(lines >= MAX_LINES, f"{name}: no longer needs its exception ({lines} lines)")
    else:
        checks.expect(lines < MAX_LINES, f"{name}: {lines} lines; files stay under {MAX_LINES}: split it")
    if name.endswith(".h") and not name.startswith("tests/"):
        checks.expect(text.startswith("// "), f"{name}: the first line says in one sentence what the header is")
        checks.expect("\n#pragma once\n" in text, f"{name}: has no #pragma once")


def check_captures(checks, name, text):
    """CAPTURE is a lambda, and clang 14 lets no lambda use the names of a structured binding."""
    for binding in STRUCTURED_BINDING.finditer(text):
        function = text[binding.end():text.find("\n}", binding.end())]
        captured = set(re.findall(r"\b(?:CAPTURE|INFO)\((\w+)", function)) & set(re.findall(r"\w+", binding[1]))
        line = text.count("\n", 0, binding.start()) + 1
        checks.expect(not captured, f"{name}:{line}: clang 14 cannot capture {', '.join(sorted(captured))}; give it a name of its own")


def check_printing(checks, name, text):
    if name.endswith(CPP) and name.startswith(PROGRAMS) and name not in MAY_PRINT:
        for match in PRINTING.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            checks.expect(False, f"{name}:{line}: \"{match.group()}\": print with base/console.h")


def check_dockerfile(checks, tracked):
    """What the Dockerfile copies, calls and builds is there; and nothing that a build on this machine has made gets into the image."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    scripts = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in tracked if name.startswith("cmake/") and name.endswith(".sh"))
    programs = re.findall(r"\binstall_programs\(([^)]*)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
    made = re.search(r"configure_and_build (\w+) -- ([^'\n]+)", text)
    if checks.expect(made and made[1] in presets, "Dockerfile: it builds no preset of CMakePresets.json"):
        for target in made[2].split():
            checks.expect(target in " ".join(programs).split(), f"Dockerfile: {target} is not a program that is installed")
    for copied in re.findall(r"^COPY --from=build (.+) \S+$", text, re.MULTILINE):
        for path in copied.split():
            name = path.removeprefix("/source/")
            is_built = made and name in {f"build/{made[1]}/bin/{target}" for target in made[2].split()}
            checks.expect(is_built or name in tracked, f"Dockerfile: copies {path}, which neither is in the project nor is built")
    for name in re.findall(r"\bcmake/\w+\.sh\b", text):
        checks.expect(name in tracked, f"Dockerfile: runs {name}, which is not there")
    for function in re.findall(r"(?:&& |')(\w+_\w+)\b(?!\.)", text):
        checks.expect(f"\n{function}() {{" in scripts, f"Dockerfile: no script has {function}")
    ignored = set((ROOT / ".gitignore").read_text(encoding="utf-8").split())
    kept_out = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())
    for name in sorted(name.strip("/") for name in ignored if name.startswith("/")):
        checks.expect(f"/{name}/" in kept_out, f".dockerignore: lets {name} of this machine into the image")


def main():
    checks = Checks()
    check_dockerfile(checks, set(tracked_files()))
    for name in tracked_files():
        if name.endswith(BINARY):
            continue
        content = (ROOT / name).read_bytes()
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as problem:
            checks.expect(is_fixture(name), f"{name}: not UTF-8: {problem}")
            continue
        check_text(checks, name, text)
        check_printing(checks, name, text)
        if name.endswith(CPP):
            check_captures(checks, name, text)
        if name.endswith(CPP) and not is_fixture(name):
            check_cpp(checks, name, text)
        if name.endswith(".py") and not NOT_PYTHON_3.match(name):
            try:
                ast.parse(text, filename=name)
                checks.passed += 1
            except SyntaxError as problem:
                checks.expect(False, f"{name}:{problem.lineno}: {problem.msg}")
        if name.endswith(".sh") or name in (".ci/run",):
            done = subprocess.run(["bash", "-n", str(ROOT / name)], capture_output=True, text=True)
            checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()}")
    checks.finish()


if __name__ == "__main__":
    main()
