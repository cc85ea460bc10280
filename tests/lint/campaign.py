"""Holds the commands of both programs and the jobs of tests/faults together: a command that writes to the disk has a job, and so has
each of its options of which the help says that something is written.
"""

import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "faults")]
import campaign  # noqa: E402
import launch_fix  # noqa: E402
import resume  # noqa: E402
from checks import Checks, tool  # noqa: E402
from patience import patience  # noqa: E402

# These print, and leave the disk as it is.
READ = {"migrator": {"explain", "rules list", "rules check", "rules test", "rules operators", "schema", "report diff", "completion"},
        "ckpt_convert": {"inspect", "verify", "models list", "models show", "models check", "models schema", "completion"}}
SUBCOMMANDS = re.compile(r"^Subcommands:\n((?:  .*\n)+)", re.M)
OPTION = re.compile(r"^  (-[^\n]*?)(?:  +|\n {20,})(.*(?:\n {20,}.*)*)", re.M)
SAYS_SO = re.compile(r"\b(writes?|written|put lines|changes? the project|replace the directory|correct|keeps?|run on several devices|finished files|"
                     r"directory for (a|the) report|part I/N)\b", re.I)
# Options whose help has such a word and that write nothing by themselves, or that stand in the words of jobs by another name.
NOTHING_OF_ITS_OWN = {
    "--to", "--stage", "--max-shard-size", "--format", "--names", "--experts-as", "--dry-run", "--diff", "--check", "--optimizer", "--large-files",
    "--affinity", "--stdin-name", "--no-record",
}


def commands(program, words=(), above=""):
    """Every command that has none below it, with its help. `convert` is the program itself."""
    text = subprocess.run([tool(program), *words, "--help"], capture_output=True, text=True, timeout=patience(60)).stdout
    listed = SUBCOMMANDS.search(text)
    if not listed or text == above:
        yield " ".join(words), text
        return
    for name in re.findall(r"^  (\w[\w-]*)", listed.group(1), re.M):
        yield from commands(program, (*words, name), text)


def runs(command, words):
    """A conversion needs no name."""
    return words[0].startswith("-") if command == "convert" else words[:len(command.split())] == command.split()


def lines_of_jobs():
    """The words of every run that a campaign disturbs, by program."""
    lines = [job.command for job in campaign.jobs()]
    lines += [[tool("ckpt_convert"), *launch_fix.COMMAND], [tool("ckpt_convert"), "--load-dir", *resume.OPTIONS, "--resume"]]
    return [(Path(line[0]).name, [str(word) for word in line[1:]]) for line in lines]


def main():
    checks, lines = Checks(), lines_of_jobs()
    for program, readers in READ.items():
        found = dict(commands(program))
        checks.expect(len(found) > 10, f"{program}: its commands could not be read from its help")
        strange = readers - set(found)
        checks.expect(not strange, f"{program}: {sorted(strange)} are no commands of it")
        for command, text in found.items():
            if command in readers:
                continue
            mine = [words for name, words in lines if name == program and runs(command, words)]
            if not checks.expect(mine, f"{program} {command}: no job of tests/faults/campaign.py runs it, and it is none of READ"):
                continue
            given = {word for words in mine for word in words}
            for spelled, said in OPTION.findall(text):
                names = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", spelled))
                if SAYS_SO.search(said) and not names & (given | NOTHING_OF_ITS_OWN):
                    checks.expect(False, f"{program} {command}: {spelled}: no job gives it, and its help says that something is written: {said}")
    checks.finish()


if __name__ == "__main__":
    main()
