"""The tables of encodings below rules/encodings/ do what Python's codecs do.  --fix generates them.

A table lists the characters after ASCII, in lines of two forms; sequences of bytes are in hexadecimal:
    A1A2 、。·             one character for each sequence from this one on: A1A2, A1A3, A1A4
    81308130-81308435 80   all sequences from the first to the last are consecutive characters, from this code point on
The last byte counts up. Of four bytes (GB18030), the second and the fourth count from 30 to 39, the first and the third from 81
to FE. After "<", sequences that are only read: the character is written as another one.
"""

import itertools
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "rules" / "encodings"
ENCODINGS = ["ascii", "big5", "cp1251", "cp1252", "cp932", "cp949", "euc-jp", "euc-kr", "gb18030", "gb2312", "gbk",
             "iso-8859-1", "iso-8859-15", "koi8-r", "shift_jis"]
HIGH = range(0x80, 0x100)
LEAST_RANGE = 4


def number(sequence):
    """Consecutive for sequences that follow each other."""
    if len(sequence) < 4:
        return int.from_bytes(sequence, "big")
    first, second, third, fourth = sequence
    return (1 << 24) + (((first - 0x81) * 10 + second - 0x30) * 126 + third - 0x81) * 10 + fourth - 0x30


def sequences(encoding):
    yield from ((a,) for a in HIGH)
    if encoding in ("cp1251", "cp1252", "iso-8859-1", "iso-8859-15", "koi8-r", "ascii"):
        return
    yield from itertools.product(HIGH, range(0x30, 0x100))
    if encoding == "euc-jp":
        yield from itertools.product((0x8F,), HIGH, HIGH)
    if encoding == "gb18030":
        yield from itertools.product(range(0x81, 0xFF), range(0x30, 0x3A), range(0x81, 0xFF), range(0x30, 0x3A))


def characters(encoding):
    """The sequences that are one character: those that Python writes, and those that it only reads."""
    written, read = [], []
    for sequence in map(bytes, sequences(encoding)):
        try:
            text = sequence.decode(encoding)
        except UnicodeDecodeError:
            continue
        if len(text) == 1:
            (written if text.encode(encoding) == sequence else read).append((sequence, ord(text)))
    return written, read


def runs(pairs, follows):
    run = []
    for pair in pairs:
        if run and not follows(run[-1], pair):
            yield run
            run = []
        run.append(pair)
    if run:
        yield run


def is_next(before, after):
    return len(before[0]) == len(after[0]) and number(after[0]) == number(before[0]) + 1


def is_consecutive(before, after):
    return is_next(before, after) and after[1] == before[1] + 1


def is_better_as_range(run):
    return len(run) >= LEAST_RANGE or len(run[0][0]) == 4 or not all(chr(code).isprintable() for _, code in run)


def lines(characters):
    for as_range, group in itertools.groupby(runs(characters, is_consecutive), is_better_as_range):
        if as_range:
            for run in group:
                yield f"{run[0][0].hex().upper()}-{run[-1][0].hex().upper()} {run[0][1]:X}\n"
        else:
            for run in runs(itertools.chain.from_iterable(group), is_next):
                yield f"{run[0][0].hex().upper()} {''.join(chr(code) for _, code in run)}\n"


def table(encoding):
    written, read = characters(encoding)
    return "".join(itertools.chain(lines(written), ("<" + line for line in lines(read))))


def main():
    wanted = {f"{encoding}.txt": table(encoding) for encoding in ENCODINGS}
    if sys.argv[1:] == ["--fix"]:
        TABLES.mkdir(exist_ok=True)
        for name, text in wanted.items():
            (TABLES / name).write_bytes(text.encode())
    found = {path.name: path.read_bytes().decode() for path in TABLES.glob("*.txt")}
    wrong = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    for name in wrong:
        print(f"rules/encodings/{name} is not what Python's codec does; run tests/lint/encodings.py --fix")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
