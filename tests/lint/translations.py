"""Checks that all that findings can say is translated in rules/translations, and that nothing there is left over.

Of rules: each message, note, advice, precondition and limit, what operators compute, and what chips are called. Of the program: sentences with a {value}; those without one
are seen in the reports of the golden tests.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

SAYING = {"advice", "compiles", "computes", "form", "meaning", "message", "note", "precondition", "product", "text", "use_when", "weak"}
VALUE = re.compile(r"\{[a-z]+\}")
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# Sentences with values are made into messages by being listed with them: `{"... {count} ...", {{"count", ...`.
WITH_VALUES = re.compile(rf'({LITERALS.pattern})(?:\s*:\s*{LITERALS.pattern})?\s*,\s*\{{\{{"')


def is_name(product):
    """Names are the same in all languages."""
    return not re.search("[a-z]{2,} [a-z]{2,}", product)


def texts_of(value, key=None):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_of(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner, key)
    elif isinstance(value, str) and key in SAYING and value and not (key == "product" and is_name(value)) and not (key == "form" and " " not in value):
        yield value


def joined(literals):
    pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals)
    return "".join(pieces).replace('\\"', '"').replace("\\\\", "\\")


def check_pair(checks, where, text, translation):
    checks.equal(sorted(VALUE.findall(translation)), sorted(VALUE.findall(text)), f"{where}: values of {text!r}")
    if " " in VALUE.sub("", text).strip():  # more than a name
        checks.expect(re.search("[\u4e00-\u9fff]", translation), f"{where}: no Chinese: {text!r}")


def main():
    checks = Checks()
    folder = ROOT / "rules/translations/zh"
    files = {path.stem: json.loads(path.read_text(encoding="utf-8"))["texts"] for path in sorted(folder.glob("*.json"))}
    for name, texts in files.items():
        for text, translation in texts.items():
            check_pair(checks, f"{name}.json", text, translation)
    every = {text for texts in files.values() for text in texts}
    for name in files.keys() - {"program"}:
        said = set()
        for path in sorted((ROOT / "rules" / name).rglob("*.json")):
            if "cases" not in path.parts:
                said |= set(texts_of(json.loads(path.read_text(encoding="utf-8"))))
        for text in sorted(said - every):
            checks.expect(False, f"rules/{name}: not translated: {text!r}")
        for text in sorted(set(files[name]) - said):
            checks.expect(False, f"{name}.json: no rule says {text!r}")
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "migrator").rglob("*.cpp"))]
    # An error of base can be a value.
    of_base = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "base").glob("*.cpp"))]
    literals = {joined(found[0]) for source in sources + of_base for found in LITERALS.finditer(source)}
    for text in sorted(set(files["program"]) - literals):
        checks.expect(False, f"program.json: the program does not say {text!r}")
    for text in sorted({joined(found[1]) for source in sources for found in WITH_VALUES.finditer(source)} - every):
        checks.expect(not VALUE.search(text), f"program.json: not translated: {text!r}")
    checks.finish()


if __name__ == "__main__":
    main()
