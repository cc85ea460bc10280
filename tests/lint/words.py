"""Looks for the words that docs/glossary.md avoids: in the documents, in the strings of the sources, and in what rules say."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402

GLOSSARY = "docs/glossary.md"
SECTION = "## Words to use and to avoid"
# What a program writes into a document has the words of the sources.
GENERATED = {"docs/reference/report-schema.md", "docs/reference/models.md", "docs/reference/coverage.md", "docs/reference/verified.md"}
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"^\s*//.*$", re.M)
# "this is no number" for "this is not a number"; "there is no number" is right.
IS_NO = r"(?<!there )\b(?:is|was)\s+no\s+(?!longer\b|more\b|other\b|one\b|way\b|need\b|place\b|use\b)"


def avoided(header):
    """The words of the column `header` of the table that has it."""
    section = (ROOT / GLOSSARY).read_text(encoding="utf-8").split(SECTION, 1)[1]
    rows = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in section.splitlines() if line.startswith("| ")]
    column = None
    words = []
    for row in rows:
        if header in row:
            column = row.index(header)
        elif column is not None and len(row) > column and not row[column].startswith("--"):
            if "not" in row or "不用" in row:
                break
            words += [word.strip() for word in row[column].split(",")]
    return words


def english_pattern(words):
    joined = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    return re.compile(rf"\b(?:{joined})\b|{IS_NO}", re.I)


def documents():
    for name in tracked_files():
        if name.endswith(".md") and ("/" not in name or name.startswith(("docs/", "samples/"))) and name not in GENERATED | {GLOSSARY}:
            yield name


def strings():
    """(file, text) of every string of the sources, and of every text with a translation: messages of rules are such."""
    for name in tracked_files():
        if name.startswith(("base/", "command_line/", "shell/", "migrator/", "ckpt_convert/")) and name.endswith((".cpp", ".h")):
            text = COMMENT.sub("", (ROOT / name).read_text(encoding="utf-8"))
            for match in STRING.finditer(text):
                if " " in match.group():  # else a key or a name
                    yield name, match.group()
    for name in tracked_files():
        if name.startswith("rules/translations/zh/"):
            yield from ((name, text) for text in texts_of(json.loads((ROOT / name).read_text(encoding="utf-8"))))


def texts_of(translations):
    """The English texts of a file of translations: the keys that lead to a text."""
    for key, value in translations.items():
        if isinstance(value, dict):
            yield from texts_of(value)
        elif " " in key:
            yield key


def main():
    checks = Checks()
    english, chinese = avoided("not"), avoided("不用")
    checks.expect("behind" in english and "评审" in chinese, f"{GLOSSARY}: the tables of avoided words could not be read")
    in_english, in_chinese = english_pattern(english), re.compile("|".join(map(re.escape, chinese)))
    for name in documents():
        text = CODE.sub(lambda code: "\n" * code.group().count("\n"), (ROOT / name).read_text(encoding="utf-8"))
        words = in_chinese if name.endswith(".zh.md") or name.startswith("docs/zh/") else in_english
        for match in words.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            checks.expect(False, f"{name}:{line}: \"{match.group()}\" is avoided; {GLOSSARY} has the word to use")
        checks.expect(True, name)
    for name, text in strings():
        match = in_english.search(text)
        checks.expect(not match, f"{name}: \"{match and match.group()}\" is avoided; {GLOSSARY} has the word to use: {text}")
    checks.finish()


if __name__ == "__main__":
    main()
