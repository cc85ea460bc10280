"""Finds the programs of this package, runs them, and turns failures into exceptions."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from .errors import ToolError, error_of


def program(name):
    """The path of `migrator` or `ckpt_convert`: the one installed with this module, or else the first on the PATH."""
    schemes = [scheme for scheme in sysconfig.get_scheme_names() if scheme.startswith(os.name)]
    folders = [sysconfig.get_path("scripts")] + [sysconfig.get_path("scripts", scheme) for scheme in schemes]
    found = shutil.which(name, path=os.pathsep.join([os.path.dirname(sys.executable), *folders])) or shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is neither next to this Python nor on the PATH; install ascend-migration-toolkit again")
    return found


def words(options):
    """Keyword arguments as options: torch_version="2.7" is --torch-version 2.7, True is an option alone, False and None are none, and
    a list repeats its option."""
    for name, value in options.items():
        if not name.isidentifier():
            raise TypeError(f"{name!r} is not the name of an option")
        option = "--" + name.rstrip("_").replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                yield option
            elif item is not False and item is not None:
                word = str(item) if isinstance(item, (int, float)) else text(item)
                # Behind "=" a word may begin with "-", but an empty one would be the next word.
                yield from [f"{option}={word}"] if word else [option, word]


def path(value):
    """A path as a word of a command line."""
    word = text(value)
    if not word:
        raise ValueError("a path is empty")
    return word


def text(value):
    """A text, or a path, as a word of a command line."""
    word = os.fspath(value)
    if not isinstance(word, str):
        raise TypeError(f"expected str or os.PathLike, not {type(value).__name__}: {value!r}")
    if "\0" in word:
        raise ValueError(f"there is a NUL in {word!r}, which no word of a command line has")
    return word


def lines(name, *arguments, answers=(0,)):
    """Runs a program; gives the lines of its standard output while it runs. An exit code that is none of `answers` is an error."""
    command = [program(name), *arguments]
    # A file, since a full pipe that nobody reads would stop the program.
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
                              env={**os.environ, "LC_ALL": "C"}) as run:
            yield from run.stdout
        if run.returncode not in answers:
            errors.seek(0)
            raise error_of(run.returncode, message_of(name, errors.read().decode("utf-8", "replace")))


def message_of(name, said):
    mark = f"{name}: error: "
    errors = [line[len(mark):] for line in said.splitlines() if line.startswith(mark)]
    return "\n".join(errors) or said.strip()


def json_object(name, text):
    """What a program said, as a dict. Options such as help=True make it say something else."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ToolError(f"{name} did not give a JSON object but: {text[:200].strip()}", 0)
    return value


def output(name, *arguments, answers=(0,)):
    return json_object(name, "".join(lines(name, *arguments, answers=answers)))
