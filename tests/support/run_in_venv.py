"""Runs a test script with the Python of .venv, which ./test.sh makes; skips (fails in CI) when it is not there."""

import os
import sys

from checks import ROOT, skip

python = ROOT / ".venv/bin/python"
if not (ROOT / ".venv/.made-from").exists() or not python.exists():
    skip(".venv with torch and transformers is not there; ./test.sh makes it")
os.execv(python, [str(python), "-B", *sys.argv[1:]])
