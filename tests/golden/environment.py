"""One table of environment variables: `migrator analyze`, `ckpt_convert launch --check` and `migrator explain` say the same of them.

And what a project's own start exports is exported by run_npu.sh, be it a script with what it sources, a makefile or a notebook: translated,
secrets and what a command makes as a remark.
"""

import json
import os
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
GROW, SPLIT, ALIGN = (f"PYTORCH_NPU_ALLOC_CONF={value}" for value in ("expandable_segments:True", "max_split_size_mb:64", "base_addr_aligned_kb:0"))
ROCE, PCIE = "HCCL_INTRA_ROCE_ENABLE=1", "HCCL_INTRA_PCIE_ENABLE=1"
# By a script the line on which a value is that does not hold beside another one; 0: each start has values of its own.
TOGETHER = {
    "one after the other": (f"export {ROCE}\nexport {PCIE}\n{START}", 2),
    "behind the first run": (f"export {GROW}\n{START}export {ALIGN}\n{START}", 0),
    "in front of each command": (f"{ROCE} {START}{PCIE} {START}", 0),
    "in front of one command": (f"{ROCE} {PCIE} {START}", 1),
    "one exported, one in front": (f"export {ROCE}\n{PCIE} {START}", 2),
    "taken back": (f"export {ROCE}\nunset HCCL_INTRA_ROCE_ENABLE\nexport {PCIE}\n{START}", 0),
    "taken back between": (f"export {GROW}\nexport -n PYTORCH_NPU_ALLOC_CONF\nunset PYTORCH_NPU_ALLOC_CONF\nexport {ALIGN}\n{START}", 0),
    "not exported": (f"{ROCE}\n{PCIE}\n{START}", 0),
    "exported later": (f"{ROCE}\nexport {PCIE}\nexport HCCL_INTRA_ROCE_ENABLE\n{START}", 2),
    "on one line": (f'if [ "$A" = 1 ]; then export {ROCE}; else export {PCIE}; fi\n{START}', 0),
    "in two parts": (f'if [ "$A" = 1 ]; then\n    export {GROW}\nelse\n    export {ALIGN}\nfi\n{START}', 0),
    "a default and another value": (f'export {GROW}\nif [ "$A" = 1 ]; then\n    export {ALIGN}\nfi\n{START}', 0),
    "both in one part": (f'if [ "$A" = 1 ]; then\n    export {ROCE}\n    export {PCIE}\n    {START}fi\n', 3),
    "by case": (f'case "$A" in\n    a) export {ROCE} ;;\n    b | c)\n        export {PCIE}\n        ;;\nesac\n{START}', 0),
    "of two functions": (f"one() {{\n    export {ROCE}\n    {START}}}\ntwo() {{ export {PCIE}; {START.strip()}; }}\n\"$1\"\n", 0),
    "of one function": (f"one() {{\n    export {ROCE}\n    export {PCIE}\n    {START}}}\none\n", 3),
    "in subshells": (f"(\n    export {ROCE}\n    {START})\n(export {PCIE}; {START.strip()})\n", 0),
    "behind a condition": (f'[ -n "$A" ] && export {ROCE} || export {PCIE}\n{START}', 0),
    "sourced": (f"export {ROCE}\nexport {PCIE}\n", 2),
    "with a command between": (f"export {ROCE}\nmkdir -p logs\nNOW=$(date +%s)\necho $NOW\nexport {PCIE}\n{START}", 5),
}
# Of one variable: whether both values could be one.
TWICE = {"write one value, with commas": (GROW, ALIGN), "keep one of them": (GROW, SPLIT), "does not go with it: keep one": (SPLIT, SPLIT.replace("64", "128"))}
# What costs time, and what the Atlas 910A wanted.
REMARKS = ("ASCEND_LAUNCH_BLOCKING=1", "TASK_QUEUE_ENABLE=0", "ASCEND_GLOBAL_LOG_LEVEL=0", "INF_NAN_MODE_ENABLE=0")
# PROPERTY_SHARE: of builds in which each run takes long.
EVERY = 6 if "PROPERTY_SHARE" in os.environ else 1
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

# The same wherever a project starts a program: by file the text, what run_npu.sh exports, and what it has a remark on.
OTHER_STARTS = {
    "sourced": (
        {"run.sh": "source ./env.sh\n. \"$(dirname \"$0\")/scripts/more.sh\"\nset -a; source .env; set +a\n"
                   "source /usr/local/env_of_site.sh\n[ -n \"$FAST\" ] && source fast.sh\nexport LAST=$FIRST\ntorchrun --nproc_per_node 8 train.py\n",
         "env.sh": "#!/bin/bash\nexport FIRST=1 HF_TOKEN=hf_secret\nLOCAL=2\nsource env.sh\n", "scripts/more.sh": "export NCCL_IB_TC=104\n",
         "fast.sh": "export MODE=fast\n", ".env": "# read by the start\nFROM_ENV='a b'\nAPI_KEY=hf_secret\n"},
        {"FIRST": "1", "HCCL_RDMA_TC": "104", "FROM_ENV": "a b", "LAST": "1"}, ("HF_TOKEN", "MODE", "API_KEY")),
    "make": (
        {"Makefile": "export FIRST := 1\nexport PATHS = a b   # of it\nNAMED ?= $5\nLATER = 7\nLOCAL = 2\nexport LATER NAMED\nexport HF_TOKEN=hf_secret\n"
                     "ifdef FAST\nexport MODE = fast\nendif\ntrain: export OWN = 3\nother: export OTHER = 4\n\n"
                     "train: data\n\t@cd . && export BESIDE=5; CUDA_VISIBLE_DEVICES=0,1 WHERE=$(ROOT) AT=$$HOME \\\n\t    torchrun --nproc_per_node 8 train.py\n\n"
                     "other:\n\texport GONE=1\n\tpython3 -c pass\n", "data": ""},
        {"FIRST": "1", "PATHS": "a b", "LATER": "7", "OWN": "3", "ASCEND_RT_VISIBLE_DEVICES": "0,1", "AT": "/somewhere/me"},
        ("HF_TOKEN", "MODE", "NAMED", "WHERE", "BESIDE")),
    "make, with all of it exported": (
        {"Makefile": "export\nFIRST = 1\nMORE = a\nMORE += b\nunexport HELD\nHELD = 3\nWHERE = $(shell pwd)\nWHERE += b\ndefine BLOCK\nINNER = 9\nendef\nCUDA_VISIBLE_DEVICES = GPU-8932f937-d72c\n"
                     "train:\n\ttorchrun --nproc_per_node 8 train.py\n"},
        {"FIRST": "1", "MORE": "a b"}, ("WHERE", "CUDA_VISIBLE_DEVICES")),
    "make, added to": (
        {"Makefile": "export FIRST = 1\nFIRST += 2\nexport OWN += x\nLATER = 1\nexport LATER\nunexport LATER\nLOCAL += 2\ntrain:\n\ttorchrun --nproc_per_node 8 train.py\n"},
        {"FIRST": "1 2", "OWN": "x"}, ()),
    "devices by their UUIDs": (
        {"run.sh": "export CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,MIG-7\nexport LIMIT=5\ntorchrun --nproc_per_node 8 train.py\n"}, {"LIMIT": "5"},
        ("CUDA_VISIBLE_DEVICES",)),
    "an open list of devices": ({"run.sh": "export GPUS=0,1\nexport CUDA_VISIBLE_DEVICES=${GPUS}\ntorchrun --nproc_per_node 8 train.py\n"},
                                {"GPUS": "0,1", "ASCEND_RT_VISIBLE_DEVICES": "0,1"}, ()),
    "kubernetes": (
        {"job.yaml": "kind: Job\nspec:\n  template:\n    spec:\n      containers:\n        - command: [bash, -c]\n          args:\n            - torchrun --nproc_per_node 8 train.py\n"
                     "          envFrom:\n            - secretRef: {name: hf_secret}\n"}, {}, ("The",)),
    "compose": ({"compose.yaml": "services:\n  train:\n    image: x\n    environment:\n      - HF_TOKEN=hf_secret\n    command: torchrun --nproc_per_node 8 train.py\n"}, {}, ("The",)),
    "notebook": (
        {"run.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source} for source in (
                "%env FIRST=1\n%env NCCL_IB_TC 104\n%env HF_TOKEN=hf_secret\n%env WHERE=$place",
                "import os\nos.environ['SECOND'] = \"a b\"  # of it\nos.environ[\"WHEN\"] = str(2)\nif FAST:\n    os.environ['MODE'] = 'fast'\nprint(os.environ['FIRST'] == '1')",
                "!export GONE=1\n!python3 -c pass", "%%bash\nexport GONE=2", "!OWN=3 torchrun --nproc_per_node 8 train.py", "%env BEHIND=1")]})},
        {"FIRST": "1", "HCCL_RDMA_TC": "104", "SECOND": "a b", "OWN": "3"}, ("HF_TOKEN", "WHERE", "WHEN", "MODE")),
    "notebook, other ways to set": (
        {"run.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source} for source in (
                "import os\nfrom os import environ\nos.environ.update({\n    'NCCL_IB_TC': '104',\n    \"FIRST\": \"it's\", **more,\n})\nos.environ.update(dict(SECOND='2'), THIRD='3')\n"
                "environ['FOURTH'] = ('a' 'b')",
                "os.environ |= {'FIFTH': '5'}\nos.environ.setdefault('FIRST', 'not this')\nos.environ.setdefault('SIXTH', '6')\nos.putenv('SEVENTH', '7')\n"
                "os.environ.update(WHEN=str(2), HF_TOKEN='hf_secret')\ndef f():\n    os.environ.update(MODE='fast')\nother.update({'GONE': '1'})\nos.environ.pop('GONE')",
                "!torchrun --nproc_per_node 8 train.py", "import os\nos.environ.update(BEHIND='1')")]})},
        {"HCCL_RDMA_TC": "104", "FIRST": "it's", "SECOND": "2", "THIRD": "3", "FOURTH": "ab", "FIFTH": "5", "SIXTH": "6", "SEVENTH": "7"}, ("WHEN", "HF_TOKEN", "MODE")),
}
# By a script the variables that its program has in run_npu.sh, and those with a remark.
SCRIPTS = {
    "a command on two lines": ("NCCL_IB_TC=104 LIMIT=5 \\\n  torchrun --nproc_per_node=8 train.py\n", {"HCCL_RDMA_TC": "104", "LIMIT": "5"}, []),
    "env": ("env NCCL_IB_TC=104 LIMIT=5 torchrun train.py\n", {"HCCL_RDMA_TC": "104", "LIMIT": "5"}, []),
    "behind exec": ("LIMIT=5 exec torchrun train.py\n", {"LIMIT": "5"}, []),
    "one-line if": ("if [ -n \"$F\" ]; then export ONE=1; else export TWO=2; fi\nexport LIMIT=5\ntorchrun train.py\n", {"LIMIT": "5"}, ["ONE", "TWO"]),
    "one-line case": ("case $1 in a) export ONE=1;; *) export TWO=2;; esac\nexport LIMIT=5\ntorchrun train.py\n", {"LIMIT": "5"}, ["ONE", "TWO"]),
    "quoted": ("export \"LIMIT=5\"\ntorchrun train.py\n", {"LIMIT": "5"}, []),
    "readonly": ("readonly LIMIT=5; export LIMIT\ntorchrun train.py\n", {"LIMIT": "5"}, []),
    "unset under a condition": ("export DROPPED=5 LIMIT=5\nif [ -n \"$F\" ]; then\n    unset DROPPED\nfi\ntorchrun train.py\n", {"LIMIT": "5"}, ["DROPPED"]),
    "unset": ("export DROPPED=5 LIMIT=5\nunset DROPPED\nexport BACK=1\nexport -n BACK\ntorchrun train.py\n", {"LIMIT": "5"}, []),
    "added to": ("export MORE=a LIMIT=5\nMORE+=b\ntorchrun train.py\n", {"LIMIT": "5"}, ["MORE"]),
    "made of what is not known": ("HERE=$(pwd)\nexport WHERE=\"${HERE}/x\" LIMIT=5\ntorchrun train.py\n", {"LIMIT": "5"}, ["HERE", "WHERE"]),
    "two that stop the program": ("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nexport PYTORCH_ALLOC_CONF=expandable_segments:True LIMIT=5\ntorchrun train.py\n",
                                  {"PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True", "LIMIT": "5"}, ["PYTORCH_ALLOC_CONF"]),
}
OTHER_STARTS |= {name: ({"run.sh": f"#!/bin/bash\n{script}"}, exported, tuple(remarks)) for name, (script, exported, remarks) in list(SCRIPTS.items())[::EVERY]}
ABSENT = ("hf_secret", "GONE", "BEHIND", "OTHER", "LOCAL=")


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


def said_by_migrator(project):
    """By file the lines and messages of values."""
    report = json.loads(run(tool("migrator"), "analyze", project, "--json").stdout)
    rules = ("env.bad_value", "env.slow_value", "env.old_value")
    return {file["path"]: [(item["begin"]["line"], item["message"]) for item in file["findings"] if item["rule"] in rules] for file in report["files"]}


def said_by_launch(script):
    checked = json.loads(run(tool("ckpt_convert"), "launch", "--check", script, "--json").stdout)
    return [(item["line"], item["what"]) for item in checked["findings"] if item["id"].startswith("variable")]


def check_together(checks, work):
    """Values are compared that a program starts with, by both programs."""
    project = work / "together"
    project.mkdir()
    scripts = {f"{number}.sh": text for number, (text, _) in enumerate(TOGETHER.values())}
    scripts |= {f"twice{number}.sh": f"export {one}\nexport {other}\n{START}" for number, (one, other) in enumerate(TWICE.values())}
    for name, text in scripts.items():
        (project / name).write_text(text)
    told = said_by_migrator(project)
    for number, (what, (text, line)) in enumerate(TOGETHER.items()):
        wanted = [line] if line else []
        checks.equal([found for found, _ in told.get(f"{number}.sh", [])], wanted, f"{what}: migrator analyze")
        if "pretrain" in text and number % EVERY == 0:
            checks.equal([found for found, _ in said_by_launch(project / f"{number}.sh")], wanted, f"{what}: ckpt_convert launch --check")
    for number, said in enumerate(TWICE):
        for found in (told.get(f"twice{number}.sh", []), said_by_launch(project / f"twice{number}.sh")):
            checks.expect(len(found) == 1 and found[0][0] == 2 and said in found[0][1], f"{TWICE[said]}: {found}")


def check_remarks(checks, work):
    project = work / "remarks"
    project.mkdir()
    script = project / "pretrain.sh"
    script.write_text("".join(f"export {one}\n" for one in REMARKS) + START)
    wanted = list(range(1, len(REMARKS) + 1))
    told = said_by_migrator(project)["pretrain.sh"]
    launch = said_by_launch(script)
    checks.equal([line for line, _ in launch], wanted, "remarks of launch --check")
    checks.equal([(line, message.rstrip(".")) for line, message in told], launch, "both programs say the same of slow values")


def check_explain(checks):
    # Each start of a program reads all rules.
    for row in TABLE["rows"][::8 * EVERY]:
        page = json.loads(run(tool("migrator"), "explain", row["name"], "--json").stdout)["variable"]
        checks.equal((page["name"], page["meaning"], page["default"], page["use_when"]),
                     (row["name"], row["meaning"], row.get("default", ""), row.get("use_when", "")), f"explain {row['name']}")
        checks.expect(page["urls"] and all(url.startswith("https://") for url in page["urls"]), f"explain {row['name']}: {page['urls']}")
    buffer = run(tool("migrator"), "explain", "HCCL_BUFFSIZE").stdout
    for part in ("Values: at least 1", "Unit: MB", "Without it: 200", "When to set it: More when a message is larger", "https://github.com/hicann/hccl/blob/master/docs/zh/user_guide/hccl_env/HCCL_BUFFSIZE.md"):
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
    checks.equal(exported_by(text, EXPORTED), EXPORTED, "what run_npu.sh exports")
    checks.equal(subprocess.run(["bash", "-n", out / "run_npu.sh"], capture_output=True).returncode, 0, "run_npu.sh is a script")


def exported_by(text, names):
    """As a shell has it."""
    begin = text.index("# What the project's own script exports.")
    shown = "\n".join(f'echo "{name}=${name}"' for name in names)
    done = subprocess.run(["bash", "-c", f"set -eu\n{text[begin:text.index(chr(10) + 'set -u', begin)]}\n{shown}"], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/somewhere/me"})
    return dict(line.split("=", 1) for line in done.stdout.splitlines()) or done.stderr


def check_other_starts(checks, work):
    for name, (files, exported, remarks) in OTHER_STARTS.items():
        project, out = work / name, work / f"{name}_out"
        for path, text in {**files, "train.py": TRAIN}.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)
        run_ok(checks, tool("migrator"), "migrate", project, "-o", out, "--start-script")
        text = (out / "run_npu.sh").read_text()
        if not checks.expect("# What the project's own script exports." in text, f"{name}: nothing is exported"):
            continue
        checks.equal(exported_by(text, exported) or {}, exported, f"{name}: what run_npu.sh exports")
        begin = text.index("# What the project's own script exports.")
        lines = text[begin:text.index("\nset -u", begin)].splitlines()[2:]
        checks.equal(sorted(line.split()[1].split("=")[0] for line in lines), sorted([*exported, *remarks]), f"{name}: names that run_npu.sh has")
        checks.equal(sorted(line.split()[1] for line in lines if line.startswith("#")), sorted(remarks), f"{name}: remarks")
        checks.equal([word for word in ABSENT if word in text], [], f"{name}: words that run_npu.sh has")


# Names whose value is a secret, and values that are one under any name; each with a value or a name that says nothing.
SECRET_NAMES = ("PGPASSWORD", "CREDS", "PASSPHRASE", "HFTOKEN", "ACCESSKEY", "SECRETKEY", "AK", "SK", "OBS_AK", "OBS_SK", "HUAWEICLOUD_SDK_SK", "PW", "JWT",
                "COOKIE", "TOKENS", "NETRC", "SSH_PRIVATE", "SLACK_WEBHOOK", "FEISHU_WEBHOOK", "MyApiKey", "db_pwd", "HF_TOKEN_2")
HIDDEN = "zqXwv"
SECRET_VALUES = tuple(value.replace("@", f"{HIDDEN}1234567890abcdef") for value in (
    "ghp_@", "hf_@", "sk-proj-@", "glpat-@", "pypi-@", "'DefaultEndpointsProtocol=https;AccountKey=@'", "'https://store/x?sig=@'", "'https://store/x?access_token=@'",
    "'{\"api_key\":\"@\"}'", "'--wandb-key @'", "'Bearer @'", "https://me:@@host/x".replace("@@", f"{HIDDEN}@"), "0123456789abcdef0123456789@"))
# Commands that show a secret; {} is the program.
SECRET_COMMANDS = tuple(command.replace("@", HIDDEN) for command in (
    "srun --export=ALL,WANDB_API_KEY=@ python {}", "env MY_PW=@ torchrun {}", "sshpass -p @ torchrun {}", "sshpass -p@ torchrun {}", "torchrun {} hub.token=@",
    "torchrun {} wandb.key=@", "torchrun {} ++trainer.hub_token=@", "torchrun {} '+wandb.apikey=@'", "torchrun {} --sk @", "torchrun {} --ak @",
    'torchrun {} --auth "Bearer @"', "torchrun {} --auth 'a @ b'", "torchrun {} --password 1234@"))
# Variables with these are copied as they are.
NO_SECRETS = {"KEY_FRAMES": "3", "MAX_TOKENS": "512", "TOKENIZERS_PARALLELISM": "false", "HF_HOME": "/data/hf_cache/models", "TOKENIZER": "/data/qwen3-8b-instruct-2507",
              "WANDB_MODE": "offline", "REGION": "asia-east1", "AUTHOR": "me", "NAMES": "a,b,c"}


def check_secrets(checks, work):
    exports = "".join(f"export {name}={HIDDEN}\n" for name in SECRET_NAMES) + "".join(f"export V{i}={value}\n" for i, value in enumerate(SECRET_VALUES))
    plain = "".join(f"export {name}={value}\n" for name, value in NO_SECRETS.items())
    cells = [line.replace("export ", "%env ") for line in exports.splitlines()]
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "\n".join(cells)},
                          {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "!torchrun train.py"}],
                "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    starts = {"script": {"run.sh": f"#!/bin/bash\n#SBATCH --export=ALL,HF_TOKEN={HIDDEN}\n{exports}{plain}torchrun train.py\n"},
              "srun": {"run.sh": f"#!/bin/bash\n#SBATCH --export=ALL,HF_TOKEN={HIDDEN}\n#SBATCH --nodes=2\n{exports}{plain}srun python train.py\n"},
              "makefile": {"Makefile": f"{exports}{plain}train:\n\ttorchrun train.py\n"}, "notebook": {"n.ipynb": json.dumps(notebook)}}
    starts |= {f"command {i}": {"run.sh": f"#!/bin/bash\n{command.format('train.py')}\n"} for i, command in enumerate(SECRET_COMMANDS) if i % EVERY == 0}
    for name, files in starts.items():
        project, out = work / f"secret {name}", work / f"secret {name} out"
        for path, text in {**files, "train.py": TRAIN}.items():
            project.mkdir(exist_ok=True)
            (project / path).write_text(text)
        run_ok(checks, tool("migrator"), "migrate", project, "-o", out, "--start-script")
        text = (out / "run_npu.sh").read_text()
        checks.equal([line for line in text.splitlines() if HIDDEN in line], [], f"{name}: lines of run_npu.sh with a secret")
        if name.startswith("command"):
            continue
        told = {line.split()[1] for line in text.splitlines() if line.startswith("# ") and "Secrets are not copied" in line}
        checks.equal(sorted(told), sorted([*SECRET_NAMES, *(f"V{i}" for i in range(len(SECRET_VALUES)))]), f"{name}: names with a remark")
        if name != "notebook":
            checks.equal(exported_by(text, NO_SECRETS), NO_SECRETS, f"{name}: what is no secret")


def main():
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        check_same_of_both(checks, work)
        check_together(checks, work)
        check_remarks(checks, work)
        check_explain(checks)
        check_exports(checks, work)
        check_other_starts(checks, work)
        check_secrets(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
