"""What both programs make of their own options: help, manual, completions, licenses.

    run_generated.py

bash completes with the scripts as it would at the prompt; zsh and fish check theirs where they are installed. groff reads the manuals.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402

COMPLETE = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_{program}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# Words of a line, the last one being typed, and what must be offered, wholly or among others.
OFFERED = {
    "migrator": [("migrator ana", ["analyze"]), ("migrator rules li", ["list"]), ("migrator analyze --style p", ["portable"]),
                 ("migrator analyze x --styl", ["--style"]), ("migrator completion z", ["zsh"]), ("migrator schema dec", ["decisions"]),
                 ("migrator rules list --rul", ["--rules"]), ("migrator migrate --apply ''", ["safe", "review", "none"])],
    "ckpt_convert": [("ckpt_convert ins", ["inspect"]), ("ckpt_convert models sh", ["show"]), ("ckpt_convert --params-dtype b", ["bf16"]),
                     ("ckpt_convert inspect --sum", ["--summary"]), ("ckpt_convert a b --dry", ["--dry-run"])],
}


def printed(checks, *command):
    done = run(*command)
    checks.equal((done.returncode, done.stderr), (0, ""), f"{command}")
    return done.stdout


def completed(script, program, words):
    text = COMPLETE.format(script=script, program=program, words=words)
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True).stdout.split()


def check_completions(checks, program, work):
    for shell in ("bash", "zsh", "fish"):
        script = work / f"{program}.{shell}"
        script.write_text(printed(checks, tool(program), "completion", shell))
        if shutil.which(shell):
            parsed = run(shell, "-n", script)
            checks.equal((parsed.returncode, parsed.stderr), (0, ""), f"{script.name}: {shell} -n")
    for words, offered in OFFERED[program]:
        checks.equal(completed(work / f"{program}.bash", program, words), offered, f"completion of {words!r}")


def check_manual(checks, program, work):
    page = work / f"{program}.1"
    page.write_text(printed(checks, tool(program), "--print-man"))
    for option in set(re.findall(r"(?<![\w-])--[a-z][\w-]+", printed(checks, tool(program), "--help-all"))):
        checks.expect(option.replace("-", "\\-") in page.read_text(), f"{program}.1: no {option}")
    if shutil.which("groff"):
        shown = run("groff", "-man", "-Tutf8", "-ww", page)
        checks.equal((shown.returncode, shown.stderr), (0, ""), f"{program}.1: groff")


def commands_of(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\w[\w-]*)", listed.group(1), re.M) if listed else []


def check_help(checks, program, *command):
    text = printed(checks, tool(program), *command, "--help")
    checks.expect(f"Usage: {' '.join([program, *command])}" in text, f"{command}: no usage")
    checks.expect("Examples:\n" in text, f"{program} {' '.join(command)} --help: no examples")
    checks.equal(re.findall(r"\{(?:false|true)\}|\bUINT\b|\bINT:", text), [], f"{program} {' '.join(command)} --help: words of the parser")
    checks.equal(printed(checks, tool(program), "help", *command), text, f"help {command}")
    for name in commands_of(text):
        if (program, name) not in {("ckpt_convert", "convert"), ("ckpt_convert", "plan")}:
            check_help(checks, program, *command, name)


def main():
    checks = Checks()
    with temporary_directory() as directory:
        for program in ("migrator", "ckpt_convert"):
            check_completions(checks, program, Path(directory))
            check_manual(checks, program, Path(directory))
            check_help(checks, program)
            licenses = printed(checks, tool(program), "--licenses")
            for library in ("fmt", "nlohmann_json", "CLI11", "tree-sitter", "libdeflate"):
                checks.expect(f"\n{library}\n---" in licenses, f"--licenses: no {library}")
            checks.equal(printed(checks, tool(program), "version"), printed(checks, tool(program), "--version"), "version")
    help_text = printed(checks, tool("ckpt_convert"), "--help")
    checks.expect("without effect\n" not in help_text.replace("without effect;", "") and "--w-pack" not in help_text, "--help lists options without effect")
    checks.expect("--w-pack" in printed(checks, tool("ckpt_convert"), "--help-all"), "--help-all does not list them")
    checks.finish()


if __name__ == "__main__":
    main()
