"""Moves the training of large models from GPUs to Ascend NPUs: the programs `migrator` and `ckpt_convert` as functions.

    import migration_toolkit

    report = migration_toolkit.analyze("my_project", torch_version="2.7")
    print(report.summary.verdict, [action.message for action in report.actions])
    migration_toolkit.convert("Qwen3-8B", "qwen3-mcore", tp=2, pp=2)

Keyword arguments are the options of the programs: torch_version="2.7" is --torch-version 2.7, True is an option without a value, and a
list repeats its option. A failed run is an exception of `ToolError`, of a class for each kind.
"""

import json

from .conversion import Conversion, Listing, Progress, Verification
from .errors import (InputError, InternalError, InterruptedRunError, OutOfMemoryError, OutputError, RuleDataError, ToolError,
                     UnsupportedError, UsageError)
from .programs import lines, output, program, words
from .report import Report
from .json_objects import typed

__all__ = ["analyze", "migrate", "convert", "verify", "inspect", "program", "Report", "Conversion", "Progress", "Verification", "Listing",
           "ToolError", "UsageError", "RuleDataError", "InputError", "UnsupportedError", "OutputError", "InternalError",
           "OutOfMemoryError", "InterruptedRunError"]

# Also an answer: findings at or above --fail-on, something to change with --check, a difference that verify found.
_FOUND = 1


def _report(command, paths, options):
    text = output("migrator", command, *paths, "--quiet", "--json", *words(options), answers=(0, _FOUND))
    return typed(Report, json.loads(text))


def analyze(*paths, **options):
    """What there is to do in a project, as a `Report`; nothing is changed."""
    return _report("analyze", paths, options)


def migrate(*paths, output, **options):
    """Writes a migrated copy to the directory `output`, with a report next to it; gives the `Report`."""
    return _report("migrate", paths, {"output": output, **options})


def convert(load_dir, save_dir, on_progress=None, **options):
    """Converts a checkpoint; gives the `Conversion`. `on_progress` is called with a `Progress` about once a second."""
    last = None
    for line in lines("ckpt_convert", *words({"load_dir": load_dir, "save_dir": save_dir, **options}), "--json"):
        event = json.loads(line)
        if event["event"] == "progress" and on_progress:
            on_progress(typed(Progress, event))
        elif event["event"] in ("plan", "checked", "done"):
            last = event
    return typed(Conversion, last)


def verify(path, against=None):
    """Whether a checkpoint is complete and what proves its content, or that it equals another one: a `Verification`."""
    text = output("ckpt_convert", "verify", path, *words({"against": against}), "--json", answers=(0, _FOUND))
    return typed(Verification, json.loads(text))


def inspect(path):
    """The tensors of a checkpoint or of one weight file, as a `Listing`."""
    return typed(Listing, json.loads(output("ckpt_convert", "inspect", path, "--json")))
