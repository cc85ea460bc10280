"""Compiles device/*.cpp against the installed torch, once for each state of the two; about 30 seconds."""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

SOURCES = Path(__file__).resolve().parent / "device"
OPTIONS = ["-std=c++20", "-O0", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-unused-parameter", "-DAT_PER_OPERATOR_HEADERS"]


def library():
    """The path of the compiled library, below the environment of this Python."""
    sources = sorted(SOURCES.glob("*.cpp"))
    compiler = os.environ.get("CXX", "g++")
    state = [torch.__version__, compiler, *OPTIONS, *(path.read_text() for path in sorted(SOURCES.iterdir()))]
    directory = Path(sys.prefix) / "npu_emulator"
    target = directory / (hashlib.sha256("\0".join(state).encode()).hexdigest()[:16] + ".so")
    if target.exists():
        return str(target)
    directory.mkdir(exist_ok=True)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            compile_all(compiler, sources, target)
    return str(target)


def compile_all(compiler, sources, target):
    """One unit of all sources: most of the time goes into torch's headers."""
    headers = Path(torch.__file__).parent / "include"
    libraries = Path(torch.__file__).parent / "lib"
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        unit, made = Path(work, "all.cpp"), Path(work, "made.so")
        unit.write_text("".join(f'#include "{path}"\n' for path in sources))
        done = subprocess.run([compiler, *OPTIONS, "-isystem", str(headers), "-isystem", str(headers / "torch/csrc/api/include"),
                               str(unit), "-o", str(made), f"-L{libraries}", "-ltorch_cpu", "-ltorch", "-lc10",
                               f"-Wl,-rpath,{libraries}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the device of the emulated NPU does not compile:\n{done.stderr}")
        made.rename(target)
