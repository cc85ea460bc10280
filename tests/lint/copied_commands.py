"""A command that a person copies has each name in it through base/shell_word: a blank or `$(...)` in a path is no part of the command."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tracked_files  # noqa: E402

PROGRAMS = r"migrator|ckpt_convert|mkdir|rm|cp|mv|ln|cd|git|pip|bash|sh|source|chmod|tar|unzip|kill|python3?|torchrun"
# A program where a command begins: a text, a line, after a backtick, a colon or two blanks. Up to the end of the command.
COMMAND = re.compile(rf"(?:^|`|\n|: |  )(?:{PROGRAMS}) [^`\n;]*", re.M)
QUOTED = re.compile(r"\bshell_(word|path|paths)\(")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# By source: what stands in a command and is a word of ours, in no need of quotes.
OURS = {
    "ckpt_convert/app/options.cpp": ("app.get_subcommands().front()->get_name()",),
    "ckpt_convert/app/output_manifest.cpp": ("base::kVersion",),
    # Options of ours; of their values plan_commands quotes the one that is a text.
    "ckpt_convert/app/plan_commands.cpp": ('base::joined(words, " ")',),
    # A name that bash has exported.
    "ckpt_convert/launch/script_paths.cpp": ("variable->name",),
    "command_line/command_line.cpp": ("name",),
    "command_line/completion.cpp": ("name",),
    "migrator/app/options.cpp": ("name",),
    "migrator/app/pipeline.cpp": ("name(options_.style)",),
    # An id is letters, digits, dots and hyphens.
    "migrator/report/report_sarif.cpp": ("rule.id",),
}


def arguments_after(text, at):
    """The arguments of a call that follow a literal, up to the call's end."""
    out, depth, begin = [], 0, at
    while at < len(text):
        string = re.compile(LITERAL).match(text, at)
        if string:
            at = string.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth < 0 or (text[at] == "," and depth == 0):
            out.append(text[begin:at].strip())
            begin = at + 1
        if depth < 0 or (text[at] == ";" and depth == 0):
            break
        at += 1
    return [" ".join(one.split()) for one in out if one]


def placeholders(text):
    """(place, number or name) of what a format has filled in."""
    count = 0
    for match in re.finditer(r"\{\{|\}\}|\{(\w*)(?::[^}]*)?\}", text):
        if match[0] in ("{{", "}}"):
            continue
        yield match.start(), match[1] or str(count)
        count += 1


def unquoted(source):
    """(line, what) of each name that goes into a command as it is."""
    for match in re.finditer(rf"{LITERAL}(?:\s*{LITERAL})*", source):
        text = "".join(part[1:-1] for part in re.findall(LITERAL, match[0])).replace("\\n", "\n").replace('\\"', '"')
        commands = [command.span() for command in COMMAND.finditer(text)]
        given = arguments_after(source, match.end()) if commands else []
        for place, name in placeholders(text):
            if not any(begin <= place < end for begin, end in commands):
                continue
            named = re.search(rf'{{\s*"{name}"\s*,\s*(.*?)}}\s*[,}}]', " ".join(given)) if not name.isdigit() else None
            value = named[1] if named else given[int(name)] if name.isdigit() and int(name) < len(given) else None
            if value is not None and not is_quoted(value, source[:match.start()]):
                yield source[:match.start()].count("\n") + 1, value


def is_quoted(value, before):
    """It is, or is a variable that was made so, or a list whose words were."""
    names = [value, *re.findall(r"\w+", value)]
    return QUOTED.search(value) or any(
        re.search(rf"\b{re.escape(name)}(?: = |\.push_back\()[^;]*shell_(word|path|paths)\(", before.rsplit("\n}\n", 1)[-1]) for name in names)


def main():
    checks = Checks()
    seen = 0
    for name in tracked_files():
        if not name.endswith((".cpp", ".h")) or not name.startswith(("base/", "ckpt_convert/", "command_line/", "migrator/")):
            continue
        for line, value in unquoted((ROOT / name).read_text(encoding="utf-8")):
            seen += value in OURS.get(name, ())
            checks.expect(value in OURS.get(name, ()), f"{name}:{line}: {value} goes into a command that is copied: base::shell_word, or shell_path of a path")
    checks.equal(seen >= len(OURS), True, "words of ours are where this lint says")
    for bad in ('format("migrator undo {}", path)', 'show("Next    migrator apply {} -o OUT", a)', 'fail("run `mkdir -p {}` first", dir)',
                'f("a\\n"\n  "  ckpt_convert inspect {}\\n", x)', '{"Write: migrator {words}", {{"words", joined(w, " ")}}}', 'format("{} `git clone {}`", shell_word(a), b)'):
        checks.expect(list(unquoted(bad)), f"this lint does not see {bad}")
    for good in ('format("migrator undo {}", base::shell_path(path))', 'format("{} has no migrator", name)', 'auto p = base::shell_path(x); format("migrator undo {}", p)',
                 'format("In code, migrator analyze finds {}", x)', 'format("`migrator undo` of {}", x)'):
        checks.expect(not list(unquoted(good)), f"this lint refuses {good}")
    checks.finish()


if __name__ == "__main__":
    main()
