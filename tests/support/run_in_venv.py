"""Runs a test script with the Python of a virtual environment that ./test.sh makes; skips (fails in CI) when it is not there.

    run_in_venv.py [--venv DIRECTORY] SCRIPT [ARGUMENT...]

DIRECTORY is relative to the project and .venv when left out.
"""

import os
import sys

from checks import ROOT, skip

arguments, name = sys.argv[1:], ".venv"
if arguments[0] == "--venv":
    name, arguments = arguments[1], arguments[2:]
python = ROOT / name / "bin/python"
if not (ROOT / name / ".made-from").exists() or not python.exists():
    skip(f"{name} with torch and transformers is not there; ./test.sh makes it")
os.execv(python, [str(python), "-B", *arguments])
