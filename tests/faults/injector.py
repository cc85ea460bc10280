"""Runs a command in which one call to the system goes wrong, as injector.c has it."""

import os
import signal
import subprocess
from pathlib import Path

from checks import run, skip
from patience import patience

HERE = Path(__file__).resolve().parent


class Injector:
    def __init__(self, scratch):
        self.library = Path(scratch) / "injector.so"
        made = run(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", self.library, HERE / "injector.c", "-ldl")
        if made.returncode != 0:
            skip(f"the injector does not compile: {made.stderr}")

    def run(self, command, cwd, fault="", counts=""):
        """`fault` as FAULT, `counts` as FAULT_COUNTS; empty: none."""
        return subprocess.run(command, cwd=cwd, env=self.environment(fault, counts), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="surrogateescape", timeout=patience(120), preexec_fn=heed_signals)

    def environment(self, fault="", counts=""):
        return dict(os.environ, LD_PRELOAD=str(self.library), FAULT=fault, FAULT_COUNTS=str(counts))


def heed_signals():
    """A campaign in the background hands on that SIGINT and SIGHUP are ignored."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def counted(counts):
    """How many calls of each kind a run has made."""
    return {line.split()[0]: int(line.split()[1]) for line in Path(counts).read_text().splitlines()}
