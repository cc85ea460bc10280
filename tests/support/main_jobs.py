"""Both main jobs, run with installed programs and an empty environment, as on a machine that has nothing else of ours."""

import shutil
import subprocess
import sys

from checkpoints import read_hf_directory
from checks import ROOT
from patience import patience


def bare(*command, cwd):
    return subprocess.run([str(part) for part in command], cwd=cwd, env={}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=patience(300))


def check_main_jobs(checks, programs, work):
    """Migrates the sample with the programs of the directory `programs`, and takes a checkpoint there and back."""
    project = work / "project"
    shutil.copytree(ROOT / "samples/gpt_train", project)
    done = bare(programs / "migrator", "migrate", project, "-o", work / "migrated", "-q", cwd=work)
    checks.equal((done.returncode, done.stderr), (0, ""), "migrator migrate")
    checks.expect("import torch_npu" in (work / "migrated/train.py").read_text(), "train.py imports torch_npu")
    checks.expect((work / "migrated_report/report.html").stat().st_size > 100_000, "the report is written")

    subprocess.run([sys.executable, ROOT / "samples/checkpoints/make_tiny.py", "qwen3", work / "hf"], check=True, capture_output=True)
    convert = (programs / "ckpt_convert", "--no-progress", "-q")
    for source, target, layout in (("hf", "mcore", ("--tp", "2", "--pp", "2")), ("mcore", "back", ())):
        done = bare(*convert, "--load-dir", work / source, "--save-dir", work / target, *layout, cwd=work)
        checks.equal((done.returncode, done.stderr), (0, ""), f"ckpt_convert {source} to {target}")
    checks.expect(read_hf_directory(work / "back") == read_hf_directory(work / "hf"), "the checkpoint comes back as it was")
