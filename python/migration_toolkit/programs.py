"""Finds the programs of this package, runs them, and turns failures into exceptions."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from .errors import error_of


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
        option = "--" + name.rstrip("_").replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                yield option
            elif item is not False and item is not None:
                yield f"{option}={os.fspath(item) if isinstance(item, os.PathLike) else item}"


def lines(name, *arguments, answers=(0,)):
    """Runs a program; gives the lines of its standard output while it runs. An exit code that is none of `answers` is an error."""
    command = [program(name), *map(os.fspath, arguments)]
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


def output(name, *arguments, answers=(0,)):
    return "".join(lines(name, *arguments, answers=answers))
