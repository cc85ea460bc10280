"""Trains the sample project on the CPU before and after its migration: the losses must be the same.

torch_npu is not there, so the migrated project gets a stand-in that has `torch.npu` say that there is no device.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run_ok, shorten, temporary_directory, tool  # noqa: E402

STAND_IN = {"__init__.py": '''import sys
import types

import torch

npu = types.ModuleType("torch.npu")
npu.__path__ = []
npu.is_available = lambda: False
npu.device_count = lambda: 0
npu.__getattr__ = lambda name: getattr(torch.cuda, name)
npu.amp = torch.cuda.amp
torch.npu = npu
torch.Tensor.is_npu = False
sys.modules["torch.npu"] = sys.modules["torch_npu.npu"] = npu
sys.modules["torch.npu.amp"] = sys.modules["torch_npu.npu.amp"] = torch.cuda.amp
''', "profiler.py": '''from torch.profiler import *
'''}
STEPS = 3


def losses(checks, name, project, stand_in):
    """The lines of the log that state a loss, without times and rates."""
    environment = {**os.environ, "PYTHONPATH": str(stand_in), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "train.py", "--config", "configs/tiny.yaml", "--device", "cpu",
                           "--max-steps", str(STEPS)], cwd=project, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    checks.equal(done.returncode, 0, f"{name}: exit code of train.py ({shorten(done.stdout + done.stderr, 2000)})")
    return re.findall(r"loss[ =:]*(\d+\.\d+)", done.stdout + done.stderr)


def main():
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        project = work / "gpt_train"
        shutil.copytree(ROOT / "samples/gpt_train", project, ignore=shutil.ignore_patterns("__pycache__", "runs"))
        if run_ok(checks, tool("migrator"), "migrate", project, "-o", work / "npu"):
            (work / "stand_in/torch_npu").mkdir(parents=True)
            for name, text in STAND_IN.items():
                (work / "stand_in/torch_npu" / name).write_text(text)
            before = losses(checks, "sample", project, work / "stand_in")
            after = losses(checks, "migrated sample", work / "npu", work / "stand_in")
            checks.expect(len(before) >= STEPS, f"sample: only {len(before)} losses in its log")
            checks.equal(after, before, "losses after the migration")
    checks.finish()


if __name__ == "__main__":
    main()
