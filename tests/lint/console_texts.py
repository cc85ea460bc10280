"""Checks the Chinese of what the programs print: all of their help, and the texts of summaries and errors.

Help is complete: the programs themselves list its texts. Of errors, the sentences that are not translated are counted, and the count only falls.
What is translated stands in the sources.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

FOLDER = ROOT / "rules/translations/zh/console"
PROGRAMS = ("migrator", "ckpt_convert")
FOLDERS = ("base", "command_line", "migrator", "ckpt_convert")
LITERALS = r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*'
ERROR = re.compile(rf"fail\(\s*(?:base::)?ErrorKind::\w+,\s*(?:(?:base::)?(?:format|show)\(\s*)?({LITERALS})")
SAID = re.compile(rf"\bsay\.(?:format|text|plural)\(\s*({LITERALS})\s*[,)]")
PLACE = re.compile(r"\{([^{}]*)\}")
# Errors that have no Chinese yet. It only falls.
NOT_TRANSLATED = 138


def joined(literals):
    pieces = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals))
    return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), pieces)


def texts_of(program):
    printed = subprocess.run([str(tool(program)), "--print-texts"], capture_output=True, text=True, check=True).stdout
    return set(json.loads(printed))


def check_places(checks, name, text, translation):
    """Each place of the sentence is in the translation: by its name, or as many without one; numbers may leave out a word of grammar."""
    places, others = PLACE.findall(text), PLACE.findall(translation)
    fits = sorted(places) == sorted(others) or bool(others) and set(others) <= {str(i) for i in range(len(places))}
    checks.expect(fits, f"{name}.json: values of {text!r}")
    # A name alone, and a command, are the same in all languages.
    is_sentence = " " in PLACE.sub("", text).strip() and text.upper() != text and not text.startswith("migrator ")
    checks.expect(not is_sentence or re.search("[\u4e00-\u9fff，。：；、（）]", translation), f"{name}.json: no Chinese: {text!r}")


def main():
    checks = Checks()
    files = {path.stem: json.loads(path.read_text(encoding="utf-8"))["texts"] for path in sorted(FOLDER.glob("*.json"))}
    for name, texts in files.items():
        for text, translation in texts.items():
            check_places(checks, name, text, translation)
    every = {text for texts in files.values() for text in texts}
    for path in FOLDER.parent.glob("*.json"):
        every |= json.loads(path.read_text(encoding="utf-8"))["texts"].keys()

    help_texts = set().union(*(texts_of(program) for program in PROGRAMS))
    for text in sorted(help_texts - every):
        checks.expect(False, f"help.json: not translated: {text!r}")
    sources = [path.read_text(encoding="utf-8") for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.cpp"))]
    whole = "\n".join([*sources, (ROOT / "templates/report/words.js").read_text(encoding="utf-8")])
    literals = {joined(found[0]) for source in sources for found in re.finditer(LITERALS, source)}
    for text in sorted(files["help"].keys() - help_texts - literals):
        checks.expect(False, f"help.json: no help says {text!r}")
    for text in sorted(files["errors"].keys() - literals):
        # A part of a sentence that is put together with a value next to it.
        checks.expect(text.removeprefix("{}").removesuffix("{}") in literals, f"errors.json: the programs do not say {text!r}")
    for text in sorted({joined(found[1]) for source in sources for found in SAID.finditer(source)} - every):
        checks.expect(not re.search("[a-z]{2}", PLACE.sub("", text)), f"summary.json: not translated: {text!r}")
    for text in files["summary"]:
        words = re.findall(r"[A-Za-z]{3,}", PLACE.sub(" ", text))
        checks.expect(all(word in whole or word.removesuffix("s") in whole for word in words), f"summary.json: the programs do not say {text!r}")

    errors = {joined(found[1]) for source in sources for found in ERROR.finditer(source)} - every
    checks.equal(len(errors), NOT_TRANSLATED, f"errors without Chinese; set NOT_TRANSLATED when there are fewer. The first: {sorted(errors)[:5]}")
    checks.finish()


if __name__ == "__main__":
    main()
