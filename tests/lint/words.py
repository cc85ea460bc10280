"""Looks for the words that docs/glossary.md avoids: none in the documents, and ever fewer in the strings of the sources."""

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
# How many avoided words the strings of the sources have. It only falls.
LEFT_IN_SOURCES = 0


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


def pattern(words, whole):
    joined = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    return re.compile(rf"\b(?:{joined})\b" if whole else f"(?:{joined})", re.I)


def documents():
    for name in tracked_files():
        if name.endswith(".md") and ("/" not in name or name.startswith(("docs/", "samples/"))) and name not in GENERATED | {GLOSSARY}:
            yield name


def strings():
    """(file, text) of every string of the sources."""
    for name in tracked_files():
        if name.startswith(("base/", "command_line/", "migrator/", "ckpt_convert/")) and name.endswith((".cpp", ".h")):
            text = COMMENT.sub("", (ROOT / name).read_text(encoding="utf-8"))
            for match in STRING.finditer(text):
                if " " in match.group():  # else a key or a name
                    yield name, match.group()


def main():
    checks = Checks()
    english, chinese = avoided("not"), avoided("不用")
    checks.expect("behind" in english and "评审" in chinese, f"{GLOSSARY}: the tables of avoided words could not be read")
    in_english, in_chinese = pattern(english, True), pattern(chinese, False)
    for name in documents():
        text = CODE.sub(lambda code: "\n" * code.group().count("\n"), (ROOT / name).read_text(encoding="utf-8"))
        words = in_chinese if name.endswith(".zh.md") or name.startswith("docs/zh/") else in_english
        for match in words.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            checks.expect(False, f"{name}:{line}: \"{match.group()}\" is avoided; {GLOSSARY} has the word to use")
        checks.expect(True, name)
    left = [f"{name}: {match.group()}: {text}" for name, text in strings() for match in in_english.finditer(text)]
    if "--list" in sys.argv:
        print("\n".join(left))
    checks.expect(len(left) <= LEFT_IN_SOURCES,
                  f"{len(left)} avoided words in strings of the sources, at most {LEFT_IN_SOURCES}; words.py --list shows them")
    checks.finish()


if __name__ == "__main__":
    main()
