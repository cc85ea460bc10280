"""Checks the Chinese of what the programs print: all of their help, and the texts of pages, summaries and errors.

It is complete. The programs themselves list the texts of help; sentences of errors, of pages and of what rules say of operators are read from
where they are made. What is translated stands in the sources.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

FOLDER = ROOT / "rules/translations/zh/console"
PROGRAMS = ("migrator", "ckpt_convert")
FOLDERS = ("base", "command_line", "shell", "migrator", "ckpt_convert")
LITERALS = r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*'
ERROR = re.compile(rf"fail\(\s*(?:base::)?ErrorKind::\w+,\s*(?:(?:base::)?(?:format|show)\(\s*)?({LITERALS})")
# Functions that give errors, by what they return; lambdas that do.
GIVES_ERROR = re.compile(r"\b(?:tl::unexpected<(?:base::)?Error>|(?:base::)?Error)\s+(?:\w+::)?(\w+)\("
                         r"|\bauto (\w+) = \[[^\]]*\]\([^)]*\)(?:\s*->\s*[\w:<>]+)?\s*\{\s*return (?:base::)?(?:fail|tl::unexpected)")
SAID = re.compile(rf"\b(?:say|language)_?\.(?:format|show|text)\(\s*({LITERALS})\s*[,)]")
CHOSEN = re.compile(rf"\bsay_?\.text\([^;\"]*\? ({LITERALS}) : ({LITERALS})\)")
COUNTED = re.compile(rf"\bplural\([^;\"]*,\s*({LITERALS})(?:,\s*({LITERALS}))?\)")
ADDS_NOTE = re.compile(r"\bnotes_?\.(?:push_back|emplace_back)\(")
PLACE = re.compile(r"\{([^{}]*)\}")
# The sources of pages that are read in one language: each sentence in them is said in it. What a program reads is made in others, or is listed.
PAGES = ("migrator/app/explain.cpp", "migrator/app/explained_operator.cpp", "migrator/app/explained_support.cpp", "migrator/app/ops_command.cpp",
         "migrator/app/review_commands.cpp", "migrator/app/rule_cases.cpp", "migrator/app/rule_files.cpp", "migrator/app/rule_pages.cpp",
         "migrator/operators/operator_knowledge.cpp", "migrator/operators/operator_list.cpp",
         "migrator/operators/operator_report.cpp", "migrator/review/accepted.cpp",
         "migrator/review/reapply.cpp", "ckpt_convert/app/conversion_log.cpp", "ckpt_convert/app/convert.cpp", "ckpt_convert/app/inspect.cpp",
         "ckpt_convert/app/models.cpp", "ckpt_convert/app/verify.cpp", "ckpt_convert/app/verify_views.cpp", "ckpt_convert/app/write_output.cpp",
         "ckpt_convert/execute/content_check.cpp", "ckpt_convert/launch/launch_set.cpp", "ckpt_convert/launch/script_benchmarks.cpp",
         "ckpt_convert/launch/script_job.cpp", "ckpt_convert/launch/script_memory.cpp", "ckpt_convert/launch/script_model.cpp",
         "ckpt_convert/launch/script_paths.cpp", "ckpt_convert/launch/script_reading.cpp", "ckpt_convert/launch/script_slips.cpp",
         "ckpt_convert/open/adapters.cpp", "ckpt_convert/open/copies.cpp",
         "ckpt_convert/open/language_part.cpp", "ckpt_convert/open/legacy_checkpoint.cpp", "ckpt_convert/open/source.cpp", "ckpt_convert/target/rank_matrix.cpp",
         "ckpt_convert/target/training.cpp")
NO_PROSE = {"void use() {{ {}(); }}\n", "Megatron torch_dist"}
NAMES = {"Hugging Face", "Megatron mcore"}
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
FEWEST_LETTERS = 4  # as in base/language.cpp: below, a sentence is little more than its places


def joined(literals):
    pieces = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals))
    return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), pieces)


def texts_of(program):
    printed = subprocess.run([str(tool(program)), "--print-texts"], capture_output=True, text=True, check=True).stdout
    return set(json.loads(printed))


def arguments(source, begin):
    """What stands in the brackets that open at `begin`."""
    depth = 0
    for token in re.compile(rf"{LITERALS}|'(?:[^'\\\n]|\\.)'|[()]").finditer(source, begin):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return source[begin:token.start()]
    return source[begin:]


def error_texts(sources):
    """Every literal with words in what is given to a function that makes an error, with the name of its source."""
    code = {name: re.sub(r"(?<![:\"])//[^\n]*", "", source) for name, source in sources.items()}
    names = {name for source in code.values() for found in GIVES_ERROR.findall(source) for name in found if name}
    call = re.compile(rf"\b(?:{'|'.join(sorted(names | {'fail', 'fail_with_context'}))})\(")
    for name, source in code.items():
        for made in call.finditer(source):
            for literal in re.finditer(LITERALS, arguments(source, made.end() - 1)):
                yield name, joined(literal[0])


def is_prose(text):
    return len(re.findall("[A-Za-z]", PLACE.sub("", text))) >= FEWEST_LETTERS


def is_known(text, every):
    """In the dictionary, whole or line by line, as a page of lines is looked up; or a part of a sentence of it."""
    def is_part(line):
        part = re.sub(r"^(?:\{\}\s*)+|(?:\{\})+$", "", line)
        return any(part in sentence for sentence in every)
    return text in every or all(line in every or not SENTENCE.search(line) or is_part(line) for line in map(str.strip, text.split("\n")))


def said_of_operators():
    """What rules/operators says to people, with the names of kernels as values."""
    chips = json.loads((ROOT / "rules/operators/chips.json").read_text(encoding="utf-8"))
    yield from chips["verdicts"].values()
    yield from chips["namespaces"].values()
    for chip in chips["chips"]:
        yield from ([chip["weak"]] if "weak" in chip else [])
    for file in ("operators", "names", "names_told"):
        content = json.loads((ROOT / f"rules/operators/{file}.json").read_text(encoding="utf-8"))
        rows = content.get("operators") or content["names"]
        for why in {on["why"] for row in rows for on in row["on"] if "why" in on}:
            yield re.sub(r"^through \S+$", "through {}", re.sub(r"\baclnn\w+", "{}", why))
    kernels = json.loads((ROOT / "rules/operators/kernels.json").read_text(encoding="utf-8"))["kernels"]
    for constraint in {constraint for kernel in kernels for constraint in kernel.get("constraints", ())}:
        yield re.sub(r"^(?!tensors ).* must be contiguous$", "{} must be contiguous", re.sub(r"\b(of )\d+ ", r"\1{} ", constraint))


def said_of_scripts():
    """What rules/launch says of launch scripts, and what would be right where that is a sentence."""
    content = json.loads((ROOT / "rules/launch/launch.json").read_text(encoding="utf-8"))
    for row in content["rules"] + content["variables"]:
        for text in (row.get(key, "") for key in ("message", "right", "problem", "least_why")):
            if SENTENCE.search(PLACE.sub("", text)) and not text.startswith("--"):
                yield text


def said_of_options():
    """What rules/options says of options of other programs that are given."""
    for path in sorted((ROOT / "rules/options").glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8"))["options"].values():
            yield from (row[key] for key in ("no_effect", "unsupported") if key in row)
            yield from [*row.get("needs", {}).values(), *row.get("without", {}).values()]


def note_texts(sources):
    """Every literal in what is added to notes, with the name of its source."""
    for name, source in sources.items():
        code = re.sub(r"(?<![:\"])//[^\n]*", "", source)
        for added in ADDS_NOTE.finditer(code):
            for literal in re.finditer(LITERALS, arguments(code, added.end() - 1)):
                yield name, joined(literal[0])


def said_of_legacy():
    """What rules/formats says of legacy checkpoints that are not read."""
    for row in json.loads((ROOT / "rules/formats/legacy.json").read_text(encoding="utf-8"))["refused"]:
        yield from (row["what"], row["instead"])


def titles():
    """Of model families and targets; names alone are the same in all languages."""
    for folder in ("models", "targets"):
        for path in sorted((ROOT / "rules" / folder).glob("*.json")):
            title = json.loads(path.read_text(encoding="utf-8")).get("title", "")
            if re.search(r"[A-Za-z]{2,},? [a-z]{2,}|^[a-z]+ ", title):
                yield title


def check_pages(checks, every, sources):
    for name in PAGES:
        source = re.sub(r"^\s*//.*", "", sources[name], flags=re.MULTILINE)
        errors = {joined(found[1]) for found in ERROR.finditer(source)}
        for found in re.finditer(LITERALS, source):
            text = joined(found[0])
            if SENTENCE.search(PLACE.sub("{}", text)) and text not in errors | NO_PROSE:
                checks.expect(is_known(text, every), f"{name}: not translated: {text!r}")
    for source in sources.values():
        for found in CHOSEN.finditer(source):
            for text in (joined(found[1]), joined(found[2])):
                checks.expect(text in every or not is_prose(text), f"pages.json: not translated: {text!r}")
        for found in COUNTED.finditer(source):
            one, many = joined(found[1]), joined(found[2]) if found[2] else joined(found[1]) + "s"
            for text in (f"{{}} {one}", f"{{}} {many}"):
                checks.expect(text in every, f"summary.json: not translated: {text!r}")
    for text in sorted(set(said_of_operators()) - every):
        checks.expect(False, f"operators.json: not translated: {text!r}")
    for text in sorted(set(said_of_scripts()) - every):
        checks.expect(False, f"launch.json: not translated: {text!r}")
    for text in sorted(set(titles()) - every):
        checks.expect(False, f"models.json: not translated: {text!r}")


def check_places(checks, name, text, translation):
    """Each place of the sentence is in the translation: by its name, or as many without one; numbers may leave out a word of grammar."""
    places, others = PLACE.findall(text), PLACE.findall(translation)
    fits = sorted(places) == sorted(others) or bool(others) and set(others) <= {str(i) for i in range(len(places))}
    checks.expect(fits, f"{name}.json: values of {text!r}")
    # A name alone, and a command, are the same in all languages.
    is_sentence = " " in PLACE.sub("", text).strip() and text.upper() != text and text.strip() not in NAMES and not text.startswith("migrator ")
    checks.expect(not is_sentence or re.search("[\u4e00-\u9fff，。：；、（）]", translation), f"{name}.json: no Chinese: {text!r}")


def main():
    checks = Checks()
    files = {path.stem: json.loads(path.read_text(encoding="utf-8"))["texts"] for path in sorted(FOLDER.glob("*.json"))}
    for name, texts in files.items():
        for text, translation in texts.items():
            check_places(checks, name, text, translation)
    every = {text for texts in files.values() for text in texts}
    # The programs load all files of a language, and refuse a text that stands twice.
    everywhere = [text for path in FOLDER.parent.rglob("*.json") for text in json.loads(path.read_text(encoding="utf-8"))["texts"]]
    for text in sorted(text for text, count in Counter(everywhere).items() if count > 1):
        checks.expect(False, f"translated twice: {text!r}")
    for path in FOLDER.parent.glob("*.json"):
        every |= json.loads(path.read_text(encoding="utf-8"))["texts"].keys()

    help_texts = set().union(*(texts_of(program) for program in PROGRAMS))
    for text in sorted(help_texts - every):
        checks.expect(False, f"help.json: not translated: {text!r}")
    by_name = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
               for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.cpp"))}
    headers = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
               for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.h"))}
    sources = list(by_name.values())
    whole = "\n".join([*sources, (ROOT / "templates/report/words.js").read_text(encoding="utf-8")])
    literals = {joined(found[0]) for source in [*sources, *headers.values()] for found in re.finditer(LITERALS, source)}
    for text in sorted(files["help"].keys() - help_texts - literals):
        checks.expect(False, f"help.json: no help says {text!r}")
    checks.equal(set(said_of_legacy()) - every, set(), "errors.json: not translated, of legacy checkpoints")
    checks.equal(set(said_of_options()) - every, set(), "errors.json: not translated, of options")
    for name, text in sorted(set(note_texts(by_name))):
        checks.expect(not SENTENCE.search(PLACE.sub("{}", text)) or is_known(text, every), f"notes.json: not translated: {text!r} of {name}")
    for text in sorted(files["errors"].keys() - literals - set(said_of_legacy()) - set(said_of_options())):
        # A sentence may be put together of parts with a value between them.
        parts = [part.strip() for part in text.split("{}") if part.strip()]
        checks.expect(all(any(part in literal for literal in literals) for part in parts), f"errors.json: the programs do not say {text!r}")
    for text in sorted({joined(found[1]) for source in sources for found in SAID.finditer(source)} - every):
        checks.expect(not re.search("[a-z]{2}", PLACE.sub("", text)), f"summary.json: not translated: {text!r}")
    operators = "\n".join((ROOT / f"rules/operators/{name}.json").read_text(encoding="utf-8") for name in ("chips", "kernels", "names", "names_told", "operators"))
    names = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules/names").glob("*.json")))
    for name, where in (("summary", whole), ("pages", whole), ("notes", whole + names), ("operators", operators)):
        for text in files[name]:
            words = re.findall(r"[A-Za-z]{3,}", PLACE.sub(" ", text))
            checks.expect(all(word in where or word.removesuffix("s") in where for word in words), f"{name}.json: nothing says {text!r}")
    for text in sorted(files["models"].keys() - set(titles())):
        checks.expect(False, f"models.json: no title is {text!r}")
    check_pages(checks, every, by_name)
    for text in sorted({joined(found[1]) for source in sources for found in ERROR.finditer(source)}):
        checks.expect(is_known(text, every) or not is_prose(text), f"errors.json: not translated: {text!r}")
    for name, text in sorted(set(error_texts(by_name | headers))):
        is_sentence = SENTENCE.search(PLACE.sub("{}", text))
        checks.expect(not is_sentence or is_known(text, every), f"errors.json: not translated: {text!r} of {name}")
    checks.finish()


if __name__ == "__main__":
    main()
