"""10,000 odd paths as `ckpt_convert launch` writes them into scripts and YAML, read by a real bash and a real reader of YAML: every one is
read as the path that it is. Bytes that are not UTF-8 are refused for YAML, and nothing else is."""

import random
import subprocess
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, tool  # noqa: E402

PIECES = [b"'", b'"', b"\\", b"$", b"`", b"}", b"{", b"$(", b"${", b"!", b"#", b"\n", b"\r", b"\t", b"\x1b", b"\x7f", b" ", b"  ", b"%", b"*", b"~", b"/", b":", b"- ",
          b": ", b" #", b"&", b"|", b"a", b"o'brien", b"-x", b"\xff", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xef\xbb\xbf", b"\xef\xbf\xbe", b"\xe6\xa8\xa1",
          b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\\n", b"\\x41", b"''", b"'$'"]


def odd_texts(count):
    choice = random.Random(41)
    for number in range(count):
        if number % 4 == 0:
            yield bytes(choice.randint(1, 255) for _ in range(choice.randint(1, 12)))
        else:
            yield b"".join(choice.choice(PIECES) for _ in range(choice.randint(1, 8)))


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def main():
    checks = Checks()
    texts = [*PIECES, *odd_texts(10000)]
    written = subprocess.run([tool("written_text_probe")], input=b"".join(text + b"\0" for text in texts), capture_output=True, check=True)
    lines = written.stdout.split(b"\0")[:-1]
    checks.equal(len(lines), 2 * len(texts), "lines of the probe")
    read = subprocess.run(["bash"], input=b"".join(lines[::2]), capture_output=True)
    checks.equal((read.returncode, read.stderr), (0, b""), "bash")
    for text, found in zip(texts, read.stdout.split(b"\0")):
        checks.equal(found, text, "in bash")
    checks.equal(read.stdout.count(b"\0"), len(texts), "values in bash")
    named = [text.decode() for text in texts if is_utf8(text)]
    checks.equal([bool(line) for line in lines[1::2]], [is_utf8(text) for text in texts], "what YAML can name")
    document = yaml.load(b"".join(lines[1::2]).decode(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    checks.equal(len(document), len(named), "values in YAML")
    for text, found in zip(named, document):
        checks.equal(found, text, "in YAML")
    checks.finish()


if __name__ == "__main__":
    main()
