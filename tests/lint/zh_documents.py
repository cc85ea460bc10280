"""Compares each translated document with its Chinese counterpart, so that neither drifts.

X.md has X.zh.md, docs/X.md has docs/zh/X.md. Both have the same headings by level, tables with as many rows, the same links, and the
same code blocks: those of consoles to the letter, others but for their comments. A Chinese page links to Chinese pages.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402
from docs import FENCE, HEADING, LINK, anchor  # noqa: E402

TRANSLATED = [
    "README.md",
    "docs/index.md",
    "docs/installation.md",
    "docs/tutorial.md",
    "docs/faq.md",
    "docs/guides/migrate-a-project.md",
    "docs/guides/convert-a-checkpoint.md",
    "docs/guides/checkpoint-formats.md",
    "docs/guides/choose-a-style.md",
    "docs/guides/ci.md",
    "docs/guides/compare-profiles.md",
    "docs/guides/plan-a-training.md",
    "docs/guides/launch-a-training.md",
    "docs/guides/train-a-model.md",
    "docs/reference/environment.md",
    "templates/launch/mindspeed-llm/README.md",
    "templates/launch/fsdp2/README.md",
    "templates/launch/megatron/README.md",
]
COMMENT = re.compile(r"\s*#.*$", re.M)
HAN = re.compile(r"[\u4e00-\u9fff]")


def chinese(name):
    return name.replace("docs/", "docs/zh/", 1) if name.startswith("docs/") else name.replace(".md", ".zh.md")


ENGLISH = {chinese(name): name for name in TRANSLATED}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def levels(text):
    return [len(line) - len(line.lstrip("#")) for line in FENCE.sub("", text).splitlines() if re.match(r"#+ ", line)]


def tables(text):
    """How many rows each table has."""
    found, before = [], False
    for line in FENCE.sub("", text).splitlines():
        row = line.startswith("|")
        if row and before:
            found[-1] += 1
        elif row:
            found.append(1)
        before = row
    return found


def blocks(text):
    """(language, code), without the comments where people read them in their language."""
    return [(language, code if language.startswith("console") else COMMENT.sub("", code)) for language, code in FENCE.findall(text)]


def heading_number(name, fragment):
    """Which heading of a document it is, for the headings of two languages have other names."""
    anchors = [anchor(heading) for heading in HEADING.findall(FENCE.sub("", read(name)))]
    return anchors.index(fragment) if fragment in anchors else f"no heading {fragment}"


def links(checks, name):
    """Where the document leads, under the names of English documents; without the link to its counterpart."""
    own = ENGLISH.get(name, name)
    found = []
    for target in LINK.findall(FENCE.sub("", read(name))):
        if "://" in target:
            found.append(target)
            continue
        path, _, fragment = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        to = file.resolve().relative_to(ROOT).as_posix()
        document = ENGLISH.get(to, to)
        if path and document == own:
            continue
        checks.expect(name not in ENGLISH or document not in TRANSLATED or to in ENGLISH, f"{name}: {target} is there in Chinese")
        number = heading_number(to, fragment) if fragment and document in TRANSLATED else fragment
        found.append(f"{document}#{number}" if fragment else document)
    return sorted(found)


def difference(english, other):
    missing, more = [item for item in english if item not in other], [item for item in other if item not in english]
    return f"missing {missing[:3]}, more {more[:3]}" if missing or more else "another number or order"


def main():
    checks = Checks()
    tracked = set(tracked_files())
    for name, other in ((english, zh) for zh, english in ENGLISH.items()):
        if not checks.expect(other in tracked, f"{other}: the Chinese counterpart of {name} is not there"):
            continue
        for what, view in (("headings", levels), ("rows of tables", tables)):
            checks.equal(view(read(other)), view(read(name)), f"{other}: {what} as in {name}")
        ours, theirs = blocks(read(name)), blocks(read(other))
        checks.expect(ours == theirs, f"{other}: code blocks as in {name}: {difference(ours, theirs)}")
        ours, theirs = links(checks, name), links(checks, other)
        checks.expect(ours == theirs, f"{other}: links as in {name}: {difference(ours, theirs)}")
        checks.expect(HAN.search(read(other)), f"{other}: is not in Chinese")
    for name in tracked:
        checks.expect(not re.search(r"\.zh\.md$|^docs/zh/", name) or name in ENGLISH, f"{name}: is not in TRANSLATED of zh_documents.py")
    checks.finish()


if __name__ == "__main__":
    main()
