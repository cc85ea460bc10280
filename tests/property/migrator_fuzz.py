"""Migrates generated and mutated Python and checks what must hold for any input: no crash, what CPython accepts is
accepted afterwards, a second run changes nothing, only lines with a fix change, and threads make no difference.

    migrator_fuzz.py [--count N] [--seed N] [--keep DIR]      N files of each kind; the inputs of a failure stay in DIR
"""

import argparse
import ast
import difflib
import json
import os
import random
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, parsed, run, temporary_directory, tool  # noqa: E402

MATERIAL = [ROOT / "tests/golden/migrator/cases", ROOT / "rules", ROOT / "samples"]
PIECES = [b"(", b")", b"[", b"]", b"{", b"}", b"'", b'"', b'"""', b"f'{", b":", b",", b"\\\n", b"\n", b"\r", b"\t", b" ", b"#", b"\x0c",
          b"\xff", b"\x00", b"\xef\xbb\xbf", b"lambda: ", b"if x else ", b" := ", b"*", b"**", b"@", b"await ", b"async ", b"match x:\n",
          b"torch", b"cuda", b"torch.cuda.", b".cuda()", b"'cuda'", b"f'cuda:{i}'", b"import torch\n", b"from torch import *\n",
          b"del torch\n", b"global torch\n", b"torch = None\n", b"nccl", b"except ImportError:\n", b"type X = "]
IMPORT = re.compile(rb"\s*(import|from)\s|\s*$|.*\bimport torch_npu\b")
# A name that an import binds may change, and all its uses with it; the fix stands at the import.
NAMED = re.compile(rb"cuda|nccl", re.IGNORECASE)


def material():
    """The Python sources of the cases, as bytes."""
    files = [path for root in MATERIAL for path in sorted(root.rglob("*.py"))]
    return [path.read_bytes() for path in files if path.is_file() and path.stat().st_size < 20_000]


class Generator:
    """Valid modules out of the statements of the material, put below each other at any depth."""

    def __init__(self, rng, sources):
        self.rng = rng
        trees = [tree for tree in map(parsed, sources) if tree is not None]
        statements = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.stmt)]
        # What is only valid around or behind something else.
        outside = (ast.Return, ast.Break, ast.Continue, ast.Nonlocal, ast.Global)
        self.imports = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))]
        self.statements = [node for node in statements
                           if not any(isinstance(inner, (*outside, ast.Await, ast.Yield, ast.YieldFrom)) for inner in ast.walk(node))
                           and not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]

    def block(self, depth):
        return [self.statement(depth) for _ in range(self.rng.randint(1, 4))]

    def statement(self, depth):
        kind = self.rng.choice(["if", "def", "class", "for", "try", "with", "while", "async", "plain", "plain", "plain", "plain"])
        if depth <= 0 or kind == "plain":
            return self.rng.choice(self.statements)
        shell = {
            "if": "if torch.cuda.is_available():\n pass\nelse:\n pass",
            "def": "def f(torch=None, *cuda, device='cuda', **kwargs):\n pass",
            "class": "class C(torch.nn.Module):\n pass",
            "for": "for torch in devices:\n pass",
            "try": "try:\n pass\nexcept ImportError as torch:\n pass\nfinally:\n pass",
            "with": "with torch.cuda.stream(s) as cuda:\n pass",
            "while": "while not torch.cuda.is_available():\n pass",
            "async": "async def g(x: torch.Tensor) -> 'torch.cuda.Stream':\n pass",
        }[kind]
        node = ast.parse(shell).body[0]
        for field in ("body", "orelse", "finalbody"):
            if getattr(node, field, None):
                setattr(node, field, self.block(depth - 1))
        return node

    def module(self):
        body = self.rng.choices(self.imports, k=self.rng.randint(0, 3)) + [self.statement(3) for _ in range(8)]
        body.sort(key=lambda node: not (isinstance(node, ast.ImportFrom) and node.module == "__future__"))
        return self.dressed(ast.unparse(ast.Module(body, [])))

    def dressed(self, text):
        """The same program with other blanks, comments, line ends."""
        lines = text.split("\n")
        in_string = '"""' in text or "'''" in text
        if not in_string:
            for _ in range(self.rng.randint(0, 6)):
                at = self.rng.randrange(len(lines))
                if not lines[at].endswith("\\"):
                    lines[at] += self.rng.choice(["  # cuda", " ", "\t", "  # \u4e2d\u6587", ";"][:4])
            if self.rng.random() < 0.3:
                lines = [re.sub(r"^( {4})+", lambda blanks: "\t" * (len(blanks[0]) // 4), line) for line in lines]
        out = "\n".join(lines).encode()
        if self.rng.random() < 0.2:
            out = out.replace(b"\n", b"\r\n")
        if self.rng.random() < 0.1:
            out = b"\xef\xbb\xbf" + out
        return out + self.rng.choice([b"", b"\n"])


class Mutator:
    """Sources with damage."""

    def __init__(self, rng, sources):
        self.rng, self.sources = rng, sources

    def module(self):
        data = bytearray(self.rng.choice(self.sources))
        for _ in range(self.rng.randint(1, 5)):
            self.rng.choice([self.insert, self.insert, self.delete, self.swap_lines, self.splice, self.repeat])(data)
        return bytes(data)

    def place(self, data):
        return self.rng.randint(0, len(data))

    def insert(self, data):
        at = self.place(data)
        data[at:at] = self.rng.choice(PIECES)

    def delete(self, data):
        at = self.place(data)
        del data[at:at + self.rng.choice([1, 1, 2, 5, 20])]

    def swap_lines(self, data):
        lines = data.split(b"\n")
        a, b = self.rng.randrange(len(lines)), self.rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
        data[:] = b"\n".join(lines)

    def splice(self, data):
        other = self.rng.choice(self.sources)
        begin = self.rng.randint(0, len(other))
        at = self.place(data)
        data[at:at] = other[begin:begin + self.rng.randint(0, 300)]

    def repeat(self, data):
        at = self.place(data)
        data[at:at] = data[at:at + 30] * self.rng.choice([1, 3, 50])


def migrate(source, output, *options):
    return run(tool("migrator"), "migrate", source, "-o", output, "--report", f"{output}_report", "--format", "json", "-q",
               "--no-progress", *options)


def changed_without_fix(before, after, findings, edits):
    """The first line that changed though no applied fix is on it, it is not an import and names nothing of CUDA; else None."""
    applied = [finding for finding in findings if finding["state"] == "applied"]
    fixed = {line for finding in applied for line in range(finding["begin"]["line"], finding["end"]["line"] + 1)}
    # A statement of a fix may stand apart from what was found.
    ids = {finding["id"] for finding in applied}
    inserted = {edit["begin"]["line"] for edit in edits if not edit["old_text"] and ids.intersection(edit["findings"])}
    # A byte order mark stays in front of what becomes the first line.
    old, new = (text.removeprefix(b"\xef\xbb\xbf").split(b"\n") for text in (before, after))
    # Each line by itself first: a difference may take one for a like one that stays.
    by_line = [number for number, (a, b) in enumerate(zip(old, new), 1) if a != b]
    if len(old) == len(new) and all(number in fixed or NAMED.search(old[number - 1]) for number in by_line):
        return None
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        explained = any(line + 1 in fixed for line in range(i1, i2)) or any(NAMED.search(line) for line in old[i1:i2])
        explained |= tag == "insert" and i1 + 1 in inserted
        if not explained and not all(IMPORT.match(line) for line in new[j1:j2]):
            return i1 + 1
    return None


def check_round(checks, directory, kind, seed):
    source, output = directory / kind, directory / f"{kind}_out"
    done = migrate(source, output)
    where = f"{kind} files of seed {seed}"
    if not checks.expect(done.returncode == 0, f"{where}: exit code {done.returncode}: {done.stderr[-500:]}"):
        return
    files = {file["path"]: file for file in json.loads(Path(f"{output}_report/report.json").read_text())["files"]}
    for path in sorted(source.glob("*.py")):
        before, after = path.read_bytes(), (output / path.name).read_bytes()
        if before == after:
            checks.passed += 1
            continue
        checks.expect(parsed(before) is None or parsed(after) is not None, f"{where}: {path.name} does not parse any more")
        # Python's own line ends are not all that the report counts.
        if not re.search(rb"\r(?!\n)|\x0c", before):
            file = files.get(path.name, {"findings": [], "edits": []})
            line = changed_without_fix(before, after, file["findings"], file["edits"])
            checks.expect(line is None, f"{where}: {path.name}:{line} changed without a fix")
    for name, options, what in (("again", [output], "a second run"), ("single", [source, "-j1"], "one thread")):
        other = directory / f"{kind}_{name}"
        checks.expect(migrate(options[0], other, *options[1:]).returncode == 0, f"{where}: {what} failed")
        for path in sorted(output.glob("*.py")):
            checks.expect((other / path.name).read_bytes() == path.read_bytes(), f"{where}: {what} changes {path.name}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # PROPERTY_SHARE=N: one N-th of them, for builds in which they take long.
    options.add_argument("--count", type=int, default=400 // int(os.environ.get("PROPERTY_SHARE", "1")))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep")
    args = options.parse_args()
    checks = Checks()
    sources = material()
    with temporary_directory() as temporary:
        directory = Path(temporary)
        for kind, maker in (("generated", Generator), ("mutated", Mutator)):
            make = maker(random.Random(args.seed), sources)
            (directory / kind).mkdir()
            for number in range(args.count):
                (directory / kind / f"{kind[0]}{number:05}.py").write_bytes(make.module())
            check_round(checks, directory, kind, args.seed)
        if checks.failures and args.keep:
            shutil.copytree(directory, args.keep, dirs_exist_ok=True)
    checks.finish()


if __name__ == "__main__":
    main()
