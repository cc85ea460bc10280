"""One table of environment variables: `migrator analyze`, `ckpt_convert launch --check` and `migrator explain` say the same of them.

And what a project's own script exports is exported by run_npu.sh: translated, secrets and what a command makes as a remark.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402

TABLE = json.loads((ROOT / "rules/env/values.json").read_text())["tables"][0]
START = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8\n"
ENVIRONMENT = """#!/bin/bash
export HCCL_RDMA_TC=101
export HCCL_RDMA_SL=9
export TASK_QUEUE_ENABLE=3
export HCCL_BUFFSIZE=0
export HCCL_INTRA_ROCE_ENABLE=1
export HCCL_INTRA_PCIE_ENABLE=1
export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True
export PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:64
""" + START
WRONG = [2, 3, 4, 5, 7, 9]
RUN = """#!/bin/bash
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export NCCL_IB_TC=104
export NCCL_ALGO=Ring
export NCCL_P2P_LEVEL=NVL
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH
export MASTER_PORT=29501
ROOT=/data
export MY_DATA="$ROOT/my corpus" LIMIT='$5'
unused=1
LATER=7
export HF_TOKEN=hf_abcdefghijk WANDB_API_KEY="0123456789"
export STORE=https://me:secret@example.com/data
export WHEN=$(date +%s)
export PYTHONPATH=$PYTHONPATH:./src
if [ -n "$FAST" ]; then
    export MODE=fast
fi
export LATER
LOCAL=1 python3 prepare.py
OMP_NUM_THREADS=3 API_KEY=0123456789 torchrun --nproc_per_node=8 \\
    train.py --data "$MY_DATA" --hub-token hf_abcdefghijk --password=secret@ --epochs 3
export BEHIND=1
"""
SECRETS = ("hf_abcdefghijk", "0123456789", "secret@")
TRAIN = "import os\n\nimport torch\n\ntorch.cuda.set_device(int(os.environ['LOCAL_RANK']))\nprint(torch.ones(1).cuda())\n"
EXPORTED = {
    "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True", "HCCL_RDMA_TC": "104", "MASTER_PORT": "29501", "MY_DATA": "/data/my corpus", "LIMIT": "$5",
    "PYTHONPATH": ":./src", "LATER": "7", "OMP_NUM_THREADS": "3",
}


def check_same_of_both(checks, work):
    (work / "project").mkdir()
    script = work / "project/pretrain.sh"
    script.write_text(ENVIRONMENT)
    report = json.loads(run(tool("migrator"), "analyze", work / "project", "--json").stdout)
    found = {(item["begin"]["line"], item["severity"]) for file in report["files"] for item in file["findings"] if item["rule"] == "env.bad_value"}
    checks.equal(sorted(found), [(line, "error") for line in WRONG], "migrator analyze")
    checked = json.loads(run(tool("ckpt_convert"), "launch", "--check", script, "--json").stdout)
    told = {(item["line"], item["severity"]) for item in checked["findings"] if item["id"].startswith("variable")}
    checks.equal(sorted(told), [(line, "error") for line in WRONG], "ckpt_convert launch --check")


def check_explain(checks):
    # Each start of a program reads all rules.
    for row in TABLE["rows"][::8]:
        page = json.loads(run(tool("migrator"), "explain", row["name"], "--json").stdout)["variable"]
        checks.equal((page["name"], page["meaning"], page["default"], page["use_when"]),
                     (row["name"], row["meaning"], row.get("default", ""), row.get("use_when", "")), f"explain {row['name']}")
        checks.expect(page["urls"] and all(url.startswith("https://") for url in page["urls"]), f"explain {row['name']}: {page['urls']}")
    buffer = run(tool("migrator"), "explain", "HCCL_BUFFSIZE").stdout
    for part in ("Values: at least 1", "Unit: MB", "Without it: 200", "When to set it: More when a message is larger", "https://github.com/hicann/hccl"):
        checks.expect(part in buffer, f"explain HCCL_BUFFSIZE: no {part!r} in {buffer}")
    checks.expect("PYTORCH_NPU_ALLOC_CONF" in run(tool("migrator"), "explain", "expandable_segments").stdout, "an option of a variable")
    for word in ("npu-smi", "transfer_to_npu", "torch.npu.set_per_process_memory_fraction"):
        run_ok(checks, tool("migrator"), "explain", word)
    checks.equal(run(tool("migrator"), "explain", "HCCL_BUFSIZE_X").returncode, 2, "a variable that is none")


def check_exports(checks, work):
    project, out = work / "started", work / "out"
    project.mkdir()
    (project / "run.sh").write_text(RUN)
    (project / "train.py").write_text(TRAIN)
    run_ok(checks, tool("migrator"), "migrate", project, "-o", out, "--start-script")
    text = (out / "run_npu.sh").read_text()
    for secret in SECRETS:
        checks.expect(secret not in text, f"run_npu.sh has a secret: {secret}")
    for name in ("HF_TOKEN", "WANDB_API_KEY", "STORE", "WHEN", "MODE", "API_KEY", "NCCL_ALGO", "NCCL_P2P_LEVEL", "LD_LIBRARY_PATH"):
        lines = [line for line in text.splitlines() if line.startswith(f"# {name} ")]
        checks.equal(len(lines), 1, f"run_npu.sh: a remark on {name}: {lines}")
    for name in ("BEHIND", "unused", "LOCAL=1", "cuda/lib64", "NCCL_IB_TC"):
        checks.expect(name not in text, f"run_npu.sh has {name}")
    # What it exports, as a shell has it.
    block = text[text.index("# What the project's own script exports."):text.index("\nset -u", text.index("# What the project's own script exports."))]
    shown = "\n".join(f'echo "{name}=${name}"' for name in EXPORTED)
    done = subprocess.run(["bash", "-c", f"set -eu\n{block}\n{shown}"], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    checks.equal(dict(line.split("=", 1) for line in done.stdout.splitlines()), EXPORTED, f"what run_npu.sh exports {done.stderr}")
    checks.equal(subprocess.run(["bash", "-n", out / "run_npu.sh"], capture_output=True).returncode, 0, "run_npu.sh is a script")


def main():
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        check_same_of_both(checks, work)
        check_explain(checks)
        check_exports(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
