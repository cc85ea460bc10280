"""Reads and applies unified diffs of whole trees, to check ours against something that did not write them."""

import re
from dataclasses import dataclass, field

HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass
class Hunk:
    begin: int  # line of the old text, from 1
    old: list = field(default_factory=list)  # lines with their ends
    new: list = field(default_factory=list)


def parse(diff):
    """{path: [Hunk]} of a diff with a/ and b/ prefixes, given as bytes."""
    files, hunk, hunks, left = {}, None, None, (0, 0)
    lines = diff.split(b"\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if hunk is not None and left != (0, 0):
            mark, text = line[:1], line[1:] + b"\n"
            if lines[position:position + 1] and lines[position].startswith(b"\\"):
                text = text[:-1]
                position += 1
            old, new = left
            if mark not in (b" ", b"-", b"+"):
                raise ValueError(f"line {position} of the diff begins with {mark!r} inside a hunk")
            if mark != b"+":
                hunk.old.append(text)
                old -= 1
            if mark != b"-":
                hunk.new.append(text)
                new -= 1
            if old < 0 or new < 0:
                raise ValueError(f"line {position} of the diff: the hunk is longer than its head says")
            left = (old, new)
        elif line.startswith(b"--- "):
            following = lines[position]
            position += 1
            if not line.startswith(b"--- a/") or following != b"+++ b/" + line[6:]:
                raise ValueError(f"line {position} of the diff: {line!r} {following!r}")
            hunks = files.setdefault(line[6:].split(b"\t")[0].decode(), [])
        elif line.startswith(b"@@"):
            begin, old, _, new = HUNK.match(line).groups()
            left = (int(old or 1), int(new or 1))
            hunk = Hunk(int(begin))
            hunks.append(hunk)
        elif line and not line.startswith((b"diff ", b"index ", b"old mode", b"new mode")):
            raise ValueError(f"line {position} of the diff: {line!r}")
    if left != (0, 0):
        raise ValueError("the last hunk is shorter than its head says")
    return files


def apply(original, hunks):
    """The new bytes of a file; every context and removed line must be there exactly."""
    lines = original.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    out, at = [], 0
    for hunk in hunks:
        begin = hunk.begin - 1 if hunk.old else hunk.begin
        if begin < at or lines[begin:begin + len(hunk.old)] != hunk.old:
            raise ValueError(f"the hunk at line {hunk.begin} does not fit the original")
        out += lines[at:begin] + hunk.new
        at = begin + len(hunk.old)
    return b"".join(out + lines[at:])


def changed_lines(hunks):
    """Numbers of the old lines that the hunks remove or replace (context lines are not among them)."""
    numbers = set()
    for hunk in hunks:
        number, new = hunk.begin, list(hunk.new)
        for line in hunk.old:
            if line in new:
                new = new[new.index(line) + 1:]
            else:
                numbers.add(number)
            number += 1
    return numbers
