"""Runs a program in a process of its own, on a machine with CUDA devices, with NPUs, or with neither.

On "npu" a program is refused what it asks of torch.cuda; on "npu_open" torch_npu has loaded itself, as it does from torch 2.5 on, and torch.cuda answers as it
does without CUDA.
"""

import json
import os
import runpy
import signal
import socket
import sys
import tempfile
import time
import traceback
import types
import warnings
from pathlib import Path

import process_groups
from patience import patience

HERE = Path(__file__).resolve().parent
TIMEOUT = patience(150)


class Outcome:
    """What a run printed, how it ended, and what it asked of CUDA. `text` is that of the first process."""

    def __init__(self, texts, codes, touched):
        self.text, self.texts, self.codes, self.touched = texts[0], texts, codes, touched

    @property
    def ok(self):
        return not any(self.codes)


def is_redirected(module, name):
    """transfer_to_npu, where the program has imported it, has put something of the NPU there."""
    transfer = sys.modules.get("torch_npu.contrib.transfer_to_npu")
    return transfer is not None and (types.ModuleType.__getattribute__(module, "__name__"), name) in transfer.REDIRECTED


class Guarded(types.ModuleType):
    """A module of torch.cuda that notes, and refuses, what the files of a program ask of it."""

    project, touched = None, []

    def __getattribute__(self, name):
        frame = sys._getframe(1)
        if not name.startswith("__") and frame.f_code.co_filename.startswith(Guarded.project) and not is_redirected(self, name):
            what = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: {types.ModuleType.__getattribute__(self, '__name__')}.{name}"
            Guarded.touched.append(what)
            raise AssertionError(f"CUDA is touched: {what}")
        return super().__getattribute__(name)


def forbid_cuda(project):
    Guarded.project = str(project)
    for name, module in list(sys.modules.items()):
        if (name == "torch.cuda" or name.startswith("torch.cuda.")) and isinstance(module, types.ModuleType):
            module.__class__ = Guarded

    def note(message, category, filename, lineno, file=None, line=None):
        if "cuda" in str(message).lower():
            Guarded.touched.append(f"{os.path.basename(filename)}:{lineno}: warning: {message}")
        print(f"warning: {message}", file=sys.stderr)

    warnings.showwarning = note


def enter(world, project):
    sys.path.insert(0, str(HERE))
    process_groups.keep()
    if world == "npu":
        forbid_cuda(project)
        return
    if world == "npu_open":
        import torch_npu  # noqa: F401

        return
    sys.modules["torch_npu"] = None  # Not installed there.
    if world == "cuda":
        import cuda_on_cpu
        from torch_npu_build import library

        cuda_on_cpu.install(library())


def child(world, project, program, arguments, output, notes):
    """Never returns."""
    code = 1
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        os.chdir(project)
        sys.argv = [program, *arguments]
        enter(world, project)
        sys.path.insert(0, str(project))
        runpy.run_path(str(Path(project, program)), run_name="__main__")
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc(limit=-4)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        Path(notes).write_text(json.dumps(Guarded.touched))
        wait_for_others(Path(notes))
        os._exit(code)


def wait_for_others(notes):
    """The first process holds the store that the others speak to until they end."""
    deadline = time.monotonic() + TIMEOUT
    while len(list(notes.parent.glob("*.json"))) < int(os.environ.get("WORLD_SIZE", "1")) and time.monotonic() < deadline:
        time.sleep(0.02)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def variables_of(rank, processes, port):
    """What torchrun would set."""
    common = {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if processes == 1:
        return common
    return {**common, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def wait_for(children):
    """Exit codes; after TIMEOUT seconds what is left is killed."""
    codes, deadline = {}, time.monotonic() + TIMEOUT
    while len(codes) < len(children):
        for pid in children:
            if pid in codes:
                continue
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                codes[pid] = os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline or any(codes.values()):
            for pid in children:
                if pid not in codes:
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return [codes[pid] for pid in children]


def run(world, project, program, arguments=(), processes=1, variables=()):
    """Runs `program`, a file below `project`. torch is imported already, which saves its time in every run."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="migration_world_") as work:
        children = []
        for rank in range(processes):
            pid = os.fork()
            if pid == 0:
                os.environ.update({**variables_of(rank, processes, port), **dict(variables)})
                child(world, project, program, list(arguments), f"{work}/{rank}.out", f"{work}/{rank}.json")
            children.append(pid)
        codes = wait_for(children)
        texts = [Path(work, f"{rank}.out").read_text() for rank in range(processes)]
        touched = [note for path in Path(work).glob("*.json") for note in json.loads(path.read_text())]
    return Outcome(texts, codes, touched)
