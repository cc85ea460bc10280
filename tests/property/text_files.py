"""Migrates scripts, settings and notebooks, those of all cases and mutations of them, and asks that what reads such a file takes the
output wherever it took the input: `bash -n`, the JSON, TOML, INI and YAML of Python, and the structure of notebooks.

    text_files.py [--count N] [--seed N]      N mutations of each kind of file

PyYAML is that of this Python, else of .venv. Without it the test does all the rest, and does not count as passed.
"""

import argparse
import configparser
import json
import os
import random
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, skip, temporary_directory, tool  # noqa: E402

try:
    import yaml
except ImportError:
    PYTHON = ROOT / ".venv/bin/python"
    if PYTHON.exists() and Path(sys.prefix) != ROOT / ".venv":
        os.execv(PYTHON, [str(PYTHON), "-B", *sys.argv])
    yaml = None

TELLING = ["cuda", "CUDA", "nccl", "NCCL"]  # most files have nothing to change
MATERIAL = [ROOT / "rules", ROOT / "tests/golden/migrator/cases", ROOT / "tests/golden/migrator/snippets"]
PIECES = ["'", '"', "`", "$(", ")", "${", "}", "{", "[", "]", "|", "\\\n", "\n", "# ", " ", "\t", "cuda", "cuda:0", "--device cuda ", "nccl",
          "CUDA_VISIBLE_DEVICES=0 ", "device: cuda\n", "device = 'cuda'\n", ": ", "- ", "<<E\n", "E\n", "&a ", "$DEVICE", "docker run --gpus all "]


def is_shell(path):
    return run("bash", "-n", path).returncode == 0


def loads(function):
    def accepts(path):
        try:
            return function(path.read_text(encoding="utf-8")) is not False
        except Exception:  # noqa: BLE001: whatever a reader says of what it does not take
            return False
    return accepts


def is_notebook(text):
    return all(isinstance(cell.get("source"), (str, list)) for cell in json.loads(text)["cells"])


def is_ini(text):
    configparser.ConfigParser(interpolation=None).read_string(text)


READERS = {".sh": is_shell, ".ini": loads(is_ini), ".json": loads(json.loads), ".toml": loads(tomllib.loads), ".ipynb": loads(is_notebook)}
if yaml is not None:
    READERS[".yaml"] = loads(lambda text: list(yaml.safe_load_all(text)))


def kind_of(path):
    """The suffix of files of this kind; None: they are not checked."""
    if path.suffix == "" and path.read_bytes()[:32].split(b"\n")[0].endswith(b"sh") and path.read_bytes().startswith(b"#!"):
        return ".sh"
    suffix = {".yml": ".yaml", ".cfg": ".ini", ".conf": ".ini", ".sbatch": ".sh", ".bash": ".sh"}.get(path.suffix, path.suffix)
    return suffix if suffix in READERS or suffix == ".yaml" else None


def material():
    """{suffix: texts} of the cases."""
    out = {}
    for root in MATERIAL:
        for path in sorted(root.rglob("*")):
            is_input = ("cases" if root == MATERIAL[0] else "in") in path.parts
            if not is_input or not path.is_file() or path.stat().st_size >= 20_000:
                continue
            kind = kind_of(path)
            try:
                if kind:
                    out.setdefault(kind, []).append(path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                pass
    return out


def mutated(rng, text, others):
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        other = rng.choice(others)
        begin = rng.randint(0, len(other))
        lines = text.split("\n")
        line = rng.randrange(len(lines))
        text = rng.choice([
            lambda: text[:at] + rng.choice(PIECES) + text[at:],
            lambda: text[:at] + text[at + rng.choice([1, 2, 10]):],
            lambda: "\n".join(lines[:line] + [rng.choice(other.split("\n"))] + lines[line:]),
            lambda: text[:at] + other[begin:begin + 80] + text[at:],
        ])()
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    checks, rng = Checks(), random.Random(args.seed)
    accepted = {}
    with temporary_directory() as temporary:
        work = Path(temporary)
        for suffix, texts in material().items():
            (work / "in" / suffix[1:]).mkdir(parents=True)
            told = [text for text in texts if any(word in text for word in TELLING)]
            for number, text in enumerate(texts + [mutated(rng, rng.choice(told), told) for _ in range(args.count)]):
                (work / "in" / suffix[1:] / f"f{number:04}{suffix}").write_text(text, encoding="utf-8")
        for source, output in (("in", "out"), ("out", "again")):
            done = run(tool("migrator"), "migrate", work / source, "-o", work / output, "--no-record", "--no-config", "-q",
                       "--report", work / f"{output}_report")
            checks.expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}")
        for path in sorted((work / "in").rglob("f*")):
            name = path.relative_to(work / "in")
            result, again = work / "out" / name, work / "again" / name
            checks.expect(result.read_bytes() == again.read_bytes(), f"{name}: a second run changes it")
            if result.read_bytes() == path.read_bytes() or path.suffix not in READERS or not READERS[path.suffix](path):
                continue
            accepted[path.suffix] = accepted.get(path.suffix, 0) + 1
            checks.expect(READERS[path.suffix](result), f"{name}: it was accepted, and is not any more:\n{path.read_text()}")
    for suffix in READERS:
        checks.expect(accepted.get(suffix, 0) > 20, f"only {accepted.get(suffix, 0)} files *{suffix} have changed: the test says nothing")
    print("accepted and changed: " + ", ".join(f"{count} *{suffix}" for suffix, count in sorted(accepted.items())))
    if yaml is None and not checks.failures:
        skip("YAML is not checked: neither this Python nor .venv has PyYAML")
    checks.finish()


if __name__ == "__main__":
    main()
