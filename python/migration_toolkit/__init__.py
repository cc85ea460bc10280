"""Moves the training of large models from GPUs to Ascend NPUs: the programs `migrator` and `ckpt_convert` as functions.

    import migration_toolkit

    report = migration_toolkit.analyze("my_project", torch_version="2.7")
    print(report.summary.verdict, [action.message for action in report.actions])
    migration_toolkit.convert("Qwen3-8B", "qwen3-mcore", tp=2, pp=2)

Keyword arguments are the options of the programs: torch_version="2.7" is --torch-version 2.7, True is an option without a value, and a
list repeats its option. A path is a path whatever it begins with. A failed run is an exception of `ToolError`, of a class for each
kind; an argument of a wrong type, or a name that can be no option, is a TypeError, and a NUL in a text, or an empty path, is a ValueError.
"""

from . import programs
from .conversion import Conversion, Listing, Progress, Verification
from .errors import (InputError, InternalError, InterruptedRunError, OutOfMemoryError, OutputError, RuleDataError, ToolError,
                     UnsupportedError, UsageError)
from .programs import json_object, lines, output, path, program, words
from .report import Report
from .json_objects import typed

__all__ = ["analyze", "migrate", "convert", "verify", "inspect", "program", "Report", "Conversion", "Progress", "Verification", "Listing",
           "ToolError", "UsageError", "RuleDataError", "InputError", "UnsupportedError", "OutputError", "InternalError",
           "OutOfMemoryError", "InterruptedRunError"]

# Also an answer: findings at or above --fail-on, something to change with --check, a difference that verify found.
_FOUND = 1


def _report(command, paths, options):
    # Behind "--" a path may begin with "-".
    return typed(Report, output("migrator", command, "--quiet", "--json", *words(options), "--", *map(path, paths), answers=(0, _FOUND)))


def analyze(*paths, **options):
    """What there is to do in a project, as a `Report`; nothing is changed."""
    return _report("analyze", paths, options)


def migrate(*paths, output, **options):
    """Writes a migrated copy to the directory `output`, with a report next to it; gives the `Report`."""
    return _report("migrate", paths, {"output": path(output), **options})


def convert(load_dir, save_dir, on_progress=None, **options):
    """Converts a checkpoint; gives the `Conversion`. `on_progress` is called with a `Progress` about once a second."""
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"on_progress must be a function, not {type(on_progress).__name__}")
    last = None
    for line in lines("ckpt_convert", *words({"load_dir": path(load_dir), "save_dir": path(save_dir), **options}), "--json"):
        event = json_object("ckpt_convert", line)
        if event.get("event") == "progress" and on_progress:
            on_progress(typed(Progress, event))
        elif event.get("event") in ("plan", "checked", "done"):
            last = event
    if last is None:
        raise ToolError("ckpt_convert did not say what it has done", 0)
    return typed(Conversion, last)


def verify(path, against=None):
    """Whether a checkpoint is complete and what proves its content, or that it equals another one: a `Verification`."""
    other = [] if against is None else [programs.path(against)]
    return typed(Verification, output("ckpt_convert", "verify", "--json", "--", programs.path(path), *other, answers=(0, _FOUND)))


def inspect(path):
    """The tensors of a checkpoint or of one weight file, as a `Listing`."""
    return typed(Listing, output("ckpt_convert", "inspect", "--json", "--", programs.path(path)))
