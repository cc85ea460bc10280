"""Reports of `analyze` that are applied: `apply` writes what `migrate` writes, byte for byte, and counts what `analyze` has counted.

    run_applied.py [PROJECT...]     these, as they are: `run_applied.py ~/src/trl`; without any, the projects below and all snippets
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402

SNIPPETS = Path(__file__).resolve().parent / "snippets"
TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\nwith torch.cuda.amp.autocast():\n    model(torch.ones(1, 2).cuda())\n"
IMAGE = "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                                  "source": ["import torch\n", "x = torch.ones(1).cuda()\n"]}],
                       "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"

# What public packages keep in hidden files, by project.
PROJECTS = {
    "workflows": {".github/workflows/test.yml": f"jobs:\n  test:\n    container:\n      image: {IMAGE}\n    steps:\n      - run: CUDA_VISIBLE_DEVICES=0 pytest\n",
                  ".github/scripts/check.sh": "nvidia-smi\n", "train.py": TRAIN},
    "gitlab": {".gitlab-ci.yml": f"image: {IMAGE}\ntest:\n  script:\n    - nvidia-smi\n    - CUDA_VISIBLE_DEVICES=0 python -m pkg.train\n",
               "pkg/__init__.py": "", "pkg/train.py": TRAIN},
    "env": {".env": "CUDA_VISIBLE_DEVICES=0,1\nNCCL_DEBUG=INFO\n", "run.sh": "#!/bin/bash\nCUDA_VISIBLE_DEVICES=0 python train.py\n", "train.py": TRAIN},
    "devcontainer": {".devcontainer/devcontainer.json": '{\n  "image": "nvidia/cuda:12.4.1-devel-ubuntu22.04",\n  "runArgs": ["--gpus", "all"]\n}\n',
                     ".devcontainer/Dockerfile": "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nENV CUDA_HOME=/usr/local/cuda\n", "src/train.py": TRAIN},
    "circleci": {".circleci/config.yml": f"version: 2.1\njobs:\n  build:\n    docker:\n      - image: {IMAGE}\n    environment:\n      CUDA_VISIBLE_DEVICES: \"0\"\n",
                 "train.py": TRAIN},
    "vscode": {".vscode/launch.json": '{"configurations": [{"env": {"CUDA_VISIBLE_DEVICES": "0"}, "args": ["--device", "cuda"]}]}\n',
               ".vscode/settings.json": '{"x": 1}\n', "train.py": TRAIN},
    "pre_commit": {".pre-commit-config.yaml": "repos:\n  - repo: local\n    hooks:\n      - id: gpu\n        entry: nvidia-smi\n",
                   ".azure-pipelines/gpu.yml": f"container: {IMAGE}\n", "a b/it's.py": TRAIN},
    "hidden_python": {".ci/train.py": TRAIN, ".ci/tools/__init__.py": "", ".ci/tools/sub/model.py": TRAIN, "train.py": TRAIN},
    "notebooks": {".notebooks/a.ipynb": NOTEBOOK, "b.ipynb": NOTEBOOK, ".github/workflows/nb.yml": f"jobs:\n  a:\n    container: {IMAGE}\n"},
    "encodings": {".github/workflows/ci.yml": f"jobs:\r\n  a:\r\n    container: {IMAGE}\r\n", ".tools/crlf.py": TRAIN.replace("\n", "\r\n"),
                  "gbk.py": ("# coding: gbk\n# 训练\n" + TRAIN).encode("gbk"), "bom.py": b"\xef\xbb\xbf" + TRAIN.encode(), "latin.py":
                  ("# -*- coding: latin-1 -*-\n# é\n" + TRAIN).encode("latin-1")},
}


def make(project, files):
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    script = project / "run.sh"
    if script.exists():
        script.chmod(0o755)


def tree(directory):
    return {str(path.relative_to(directory)): (oct(path.lstat().st_mode), os.readlink(path) if path.is_symlink() else path.read_bytes())
            for path in sorted(directory.rglob("*")) if path.is_symlink() or path.is_file()}


def differences(one, other):
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def numbers(applied):
    found = re.match(r"([\d,]+) findings? applied", applied)
    return int(found[1].replace(",", "")) if found else None


def with_edits(report):
    """The findings that are said to be settled and have an edit of their own."""
    owners = {one for file in report["files"] for edit in file["edits"] for one in edit["findings"]}
    return sum(finding["id"] in owners for file in report["files"] for finding in file["findings"] if finding["state"] in ("applied", "available"))


def apply_report(checks, name, project, work, style):
    """Analyses, applies to a copy, and compares with a migration of the same."""
    options = ["--style", style, "-q", "--no-progress"]
    migrator = tool("migrator")
    done = run(migrator, "analyze", project, "--report", work / "r", "--format", "json", *options)
    checks.equal(done.returncode, 0, f"{name}: analyze: {done.stderr}")
    report = json.loads((work / "r/report.json").read_text())
    done = run(migrator, "apply", work / "r", "-o", work / "applied")
    if not checks.equal(done.returncode, 0, f"{name}: apply: {done.stderr}"):
        return
    available = report["summary"]["available"]
    checks.equal(numbers(done.stdout), available, f"{name}: findings applied, and what analyze counts as available")
    checks.equal(available, with_edits(report), f"{name}: available, and findings with an edit of their own")
    checks.equal(sum(row["available"] for row in report["summary"]["by_kind"]), available, f"{name}: the kinds")
    done = run(migrator, "migrate", project, "-o", work / "migrated", "--report", work / "m", "--format", "json", *options)
    checks.equal(done.returncode, 0, f"{name}: migrate: {done.stderr}")
    checks.equal(differences(tree(work / "applied"), tree(work / "migrated")), [], f"{name}: apply and migrate differ")
    checks.equal(json.loads((work / "m/report.json").read_text())["summary"]["applied"], available, f"{name}: what migrate counts as applied")


def apply_in_place(checks, name, files, work, style):
    """The report lies next to the project, which nobody names; what was applied is undone the same way."""
    make(work / "p", files)
    before = tree(work / "p")
    migrator = tool("migrator")
    run(migrator, "analyze", "p", "--report", "review", "--style", style, "-q", cwd=work)
    done = run(migrator, "apply", "review", "--in-place", cwd=work)
    if not checks.equal(done.returncode, 0, f"{name}: apply --in-place: {done.stderr}"):
        return
    checks.equal(differences(tree(work / "p"), tree(work / "migrated")), [], f"{name}: apply --in-place and migrate differ")
    done = run(migrator, "undo", "review/applied", cwd=work)
    checks.equal(done.returncode, 0, f"{name}: undo: {done.stderr}")
    checks.equal(differences(tree(work / "p"), before), [], f"{name}: undo")


def project_of_hidden_files_only(checks, work):
    """Nothing shows that it is the project, so it is named; a new hidden file is refused even then."""
    (work / "p/.ci").mkdir(parents=True)
    (work / "p/.ci/train.py").write_text(TRAIN)
    migrator = tool("migrator")
    run(migrator, "analyze", "p", "--report", "review", "-q", cwd=work)
    done = run(migrator, "apply", "review", "--in-place", cwd=work)
    checks.equal((done.returncode, (work / "p/.ci/train.py").read_text()), (2, TRAIN), "a hidden file alone")
    checks.expect("--project" in done.stderr, done.stderr)
    checks.equal(run(migrator, "apply", "review", "--in-place", "--project", "p", cwd=work).returncode, 0, "with --project")
    checks.equal(run(migrator, "undo", "review/applied", "--project", "p", cwd=work).returncode, 0, "undo with --project")
    report = json.loads((work / "review/report.json").read_text())
    edited = report["files"][0]
    for path in (".ci/.hidden.py", ".bashrc", ".other/x.py", ".ci2/x.py", ".git/hooks/x", ".ci/.git/x"):
        new = {**edited, "path": path, "original": {"sha256": None, "new_mode": 0o644, "encoding": "utf-8"},
               "edits": [{**edited["edits"][0], "begin_byte": 0, "end_byte": 0, "old_text": "", "new_text": "x\n"}]}
        (work / "review/report.json").write_text(json.dumps({**report, "files": [edited, new]}))
        for where in (["--in-place", "--project", "p"], ["-o", "out"]):
            done = run(migrator, "apply", "review", *where, cwd=work)
            checks.equal(done.returncode, 4, f"{path} {where}: {done.stderr}")
            checks.expect(not (work / "out").exists() and not (work / "p" / path).exists(), f"{path} {where}: something was written")


def snippets_together(checks, work):
    for case in sorted(SNIPPETS.glob("*/in")):
        shutil.copytree(case, work / "all" / case.parent.name, symlinks=True)
    for style in ("npu", "portable"):
        (work / style).mkdir()
        apply_report(checks, f"snippets, {style}", work / "all", work / style, style)


def main():
    checks = Checks()
    for name in sys.argv[1:]:
        for style in ("npu", "portable"):
            with temporary_directory() as work:
                apply_report(checks, f"{name}, {style}", Path(name).resolve(), Path(work), style)
    if len(sys.argv) == 1:
        for name, files in PROJECTS.items():
            # Also with a new file where hidden Python is.
            for style in ("npu", "portable") if any(path.startswith(".") and path.endswith(".py") for path in files) else ("npu",):
                with temporary_directory() as directory:
                    work = Path(directory).resolve()
                    make(work / "in", files)
                    apply_report(checks, f"{name}, {style}", work / "in", work, style)
                    apply_in_place(checks, f"{name}, {style}", files, work, style)
        for check in (project_of_hidden_files_only, snippets_together):
            with temporary_directory() as work:
                check(checks, Path(work).resolve())
    checks.finish()


if __name__ == "__main__":
    main()
