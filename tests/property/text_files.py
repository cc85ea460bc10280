"""Migrates scripts, settings and notebooks, those of all cases and mutations of them, and asks that what reads such a file takes the
output wherever it took the input: `bash -n`, the JSON, TOML and YAML of Python, and the structure of notebooks.

    text_files.py [--count N] [--seed N]      N mutations of each kind of file

YAML is checked where PyYAML is installed.
"""

import argparse
import json
import random
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

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


READERS = {".sh": is_shell, ".json": loads(json.loads), ".toml": loads(tomllib.loads), ".ipynb": loads(is_notebook)}
if yaml is not None:
    READERS[".yaml"] = READERS[".yml"] = loads(lambda text: list(yaml.safe_load_all(text)))


def material():
    """{suffix: texts} of the cases."""
    out = {}
    for root in MATERIAL:
        for path in sorted(root.rglob("*")):
            is_input = root != MATERIAL[0] or "cases" in path.parts
            if path.suffix in READERS and path.is_file() and is_input and path.stat().st_size < 20_000:
                try:
                    out.setdefault(path.suffix, []).append(path.read_text(encoding="utf-8"))
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
    options.add_argument("--count", type=int, default=150)
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    checks, rng = Checks(), random.Random(args.seed)
    accepted = 0
    with temporary_directory() as temporary:
        work = Path(temporary)
        for suffix, texts in material().items():
            (work / "in" / suffix[1:]).mkdir(parents=True)
            for number, text in enumerate(texts + [mutated(rng, rng.choice(texts), texts) for _ in range(args.count)]):
                (work / "in" / suffix[1:] / f"f{number:04}{suffix}").write_text(text, encoding="utf-8")
        for source, output in (("in", "out"), ("out", "again")):
            done = run(tool("migrator"), "migrate", work / source, "-o", work / output, "--no-record", "--no-config", "-q",
                       "--report", work / f"{output}_report")
            checks.expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}")
        for path in sorted((work / "in").rglob("f*")):
            name = path.relative_to(work / "in")
            result, again = work / "out" / name, work / "again" / name
            checks.expect(result.read_bytes() == again.read_bytes(), f"{name}: a second run changes it")
            if result.read_bytes() == path.read_bytes() or not READERS[path.suffix](path):
                continue
            accepted += 1
            checks.expect(READERS[path.suffix](result), f"{name}: it was accepted, and is not any more:\n{path.read_text()}")
    checks.expect(accepted > 100, f"only {accepted} files have changed: the test says nothing")
    print(f"{accepted} files that were accepted have changed" + ("" if yaml else "; YAML is not checked: PyYAML is not installed"))
    checks.finish()


if __name__ == "__main__":
    main()
