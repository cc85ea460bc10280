"""Makes tests/golden/engine_names.json: the names that the releases of training engines know, read from their sources by syntax tree.

    engine_names.py COPIES [MEGATRON]

COPIES: a directory with git copies, OWNER+NAME/repo or OWNER+NAME of each repository below. MEGATRON: a directory with RELEASE.json for each release of
Megatron-LM, a list of the options that its parser (megatron/training/arguments.py) has when it is run: they come from dataclasses as well.
What is not read stays: without it these, and the pages of CANN, of which there is no copy. Of each release only what it adds and drops is kept.
"""

import ast
import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))
from json_text import laid_out  # noqa: E402

OUT = ROOT / "tests/golden/engine_names.json"
LLM = ("Ascend/MindSpeed-LLM", ["2.0.0", "2.1.0", "2.2.0", "2.3.0", "26.0.0", "26.1.0", "master"])
OLD = (LLM[0], ["1.0.RC1", "1.0.RC2", "1.0.RC3", "1.0.0"])
SPEED = ("Ascend/MindSpeed", ["2.0.0_core_r0.8.0", "2.1.0_core_r0.8.0", "2.2.0_core_r0.12.1", "2.3.0_core_r0.12.1", "26.0.0_core_r0.12.1", "26.1.0_core_r0.12.1",
                              "master"])
HCCL = ("hicann/hccl", ["8.5.0", "9.0.0", "9.1.0", "master"])
TORCH_NPU = ("Ascend/pytorch", ["v2.7.1-26.1.0", "master"])
MSTT = ("xiaobingling93-pixel/Ascend-mstt", ["HEAD"])
DEEPSPEED = ("deepspeedai/DeepSpeed", ["HEAD"])
MEGATRON = ("NVIDIA/Megatron-LM", ["core_v0.12.1", "core_v0.16.1", "core_v0.17.1", "core_v0.18.2", "core_v0.19.0", "HEAD"])


class Copy:
    def __init__(self, copies, repository):
        folder = copies / repository.replace("/", "+")
        self.git = folder / "repo" if (folder / "repo").exists() else folder

    def run(self, *words):
        return subprocess.run(["git", "-C", self.git, *words], capture_output=True, text=True, check=True).stdout

    def commit(self, release):
        return self.run("rev-parse", "--short=12", f"{release}^{{commit}}").strip()

    def files(self, release, pattern):
        """[(path, text)]; objects that the copy lacks are left out."""
        paths = [path for path in self.run("ls-tree", "-r", "-z", "--name-only", release).split("\0") if re.search(pattern, path)]
        asked = "".join(f"{release}:{path}\n" for path in paths)
        answer = subprocess.run(["git", "-C", self.git, "cat-file", "--batch"], input=asked.encode(), capture_output=True, check=True).stdout
        out, at = [], 0
        for path in paths:
            end = answer.index(b"\n", at)
            head, at = answer[at:end].split(b" "), end + 1
            if head[-1].isdigit():
                size = int(head[-1])
                out.append((path, answer[at:at + size].decode("utf-8", "replace")))
                at += size + 1
        return out


def calls(text):
    try:
        return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return []


def options(files):
    out = set()
    for _, text in files:
        for call in calls(text):
            if getattr(call.func, "attr", "") == "add_argument":
                out |= {word.value for word in call.args if isinstance(word, ast.Constant) and str(word.value).startswith("--")}
    return out


def tasks(files):
    """The words that evaluation.py looks for in --task."""
    return {match for _, text in files for match in re.findall(r"[\"'](\w+)[\"'] in args\.task", text)}


def handlers(files):
    return {match for _, text in files for match in re.findall(r"^class (\w+Handler)\(", text, re.M)} - {"BaseDatasetHandler"}


def prompts(files):
    return {row["name"] for path, text in files if path.endswith("templates.json") for row in json.loads(text)}


def folders(files):
    """TASK/FOLDER, as scripts and documents write where the questions of a task lie."""
    pattern = r"(?:\./|\.\./)((?:mmlu|cmmlu|ceval|gsm8k|boolq|bbh|agieval|human_eval|needlebench)(?:/[a-z]+)*)/?[\s\"'`)]"
    return {match for _, text in files for match in re.findall(pattern, text)}


def keys(files):
    """section.key of the dataclasses that the YAML file fills."""
    out = set()
    for _, text in files:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Arguments"):
                section = node.name.removesuffix("Arguments").lower()
                out |= {f"{section}.{field.target.id}" for field in node.body if isinstance(field, ast.AnnAssign)}
    return out


def exported(files):
    return {match for _, text in files for match in re.findall(r"^\s*export ([A-Z]\w+)=", text, re.M)}


def read_variables(files):
    read = r"(?:environ(?:\.get)?[\[(]|getenv\()\s*[\"']([A-Z]\w+)[\"']|[\"']([A-Z]\w+)[\"'] in os\.environ"
    return {name for _, text in files for match in re.findall(read, text) for name in match if name}


def documented(files):
    """Those that have a page or a row of a table, and those that a page exports."""
    rows = {match for _, text in files for match in re.findall(r"^\| *\[?([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b", text, re.M)}
    return rows | exported(files) | {match for path, _ in files for match in re.findall(r"([A-Z][A-Z0-9]*_[A-Z0-9_]+)\.md$", path)}


def advised(files):
    return {match for _, text in files for match in re.findall(r"\"([A-Z][A-Z0-9]*_[A-Z0-9_]+)\": ", text)}


# What a list is, whose, in which files of which releases, and how it is read.
TRAIN = r"^(mindspeed_llm|modellink)/(?!fsdp2/|tasks/(checkpoint|preprocess)|.*(rlxf|verl)).*\.py$"
LATER = r"^megatron/(training|post_training)/arguments\.py$"
LISTS = [
    ("options", "pretrain_gpt.py", LLM, TRAIN, options),
    ("options", "pretrain_gpt.py", SPEED, r"^mindspeed/.*\.py$", options),
    ("options", "convert_ckpt.py", (LLM[0], OLD[1] + LLM[1]), r"^convert_ckpt\.py$|tools/checkpoint/|(modellink|mindspeed_llm)/tasks/checkpoint/.*\.py$", options),
    ("options", "convert_ckpt_v2.py", (LLM[0], LLM[1][2:]), r"^convert_ckpt_v2\.py$|features_manager/convert_checkpoint/", options),
    ("options", "preprocess_data.py", LLM, r"^preprocess_data\.py$", options),
    ("options", "preprocess_data.py", (MEGATRON[0], ["core_v0.17.1"]), r"^tools/preprocess_data\.py$", options),
    ("keys", "train_fsdp2.py", (LLM[0], LLM[1][4:]), r"^mindspeed_llm/fsdp2/utils/arguments\.py$", keys),
    ("tasks", "evaluation.py", LLM, r"^evaluation\.py$", tasks),
    ("folders", "evaluation.py", LLM, r"\.(sh|md)$", folders),
    ("handlers", "preprocess_data.py", LLM, r"tasks/preprocess/data_handler\.py$", handlers),
    ("prompts", "preprocess_data.py", LLM, r"^configs/finetune/templates\.json$", prompts),
    ("options", "pretrain_gpt.py", (MEGATRON[0], ["HEAD"]), r"^megatron/elastification/arguments\.py$", options),
    ("variables", "scripts", LLM, r"\.sh$", exported),
    ("variables", "scripts", SPEED, r"\.sh$", exported),
    ("variables", "code", LLM, r"^mindspeed_llm/.*\.py$", read_variables),
    ("variables", "code", SPEED, r"^mindspeed/.*\.py$", read_variables),
    ("variables", "code", DEEPSPEED, r"^accelerator/.*\.py$", read_variables),
    ("variables", "pages", LLM, r"^docs/.*\.md$", documented),
    ("variables", "pages", MSTT, r"precision_performance_advice\.json$", advised),
    ("variables", "pages", HCCL, r"^docs/.*\.md$", documented),
    ("variables", "pages", TORCH_NPU, r"^docs/.*\.md$", documented),
]


def released(names_by_release):
    """By release what it adds and drops."""
    out, before = [], set()
    for version, commit, names in names_by_release:
        row = {"version": version, "commit": commit, "adds": sorted(names - before), "drops": sorted(before - names)}
        out.append({key: value for key, value in row.items() if value})
        before = names
    return out


def listed(kind, program, repository, files, rows):
    print(kind, program, repository, [len(names) for _, _, names in rows])
    return {"kind": kind, "of": program, "engine": repository, "source": f"https://github.com/{repository}", "files": files, "releases": released(rows)}


def main():
    copies = Path(sys.argv[1])
    lists = []
    for kind, program, (repository, releases), pattern, read in LISTS:
        copy = Copy(copies, repository)
        rows = [(release, copy.commit(release), read(copy.files(release, pattern))) for release in releases]
        lists.append(listed(kind, program, repository, pattern, rows))
    if len(sys.argv) > 2:
        copy = Copy(copies, MEGATRON[0])
        rows = [(release, copy.commit(release), options(copy.files(release, LATER)) | set(json.loads((Path(sys.argv[2]) / f"{release}.json").read_text())) - {"--help"})
                for release in MEGATRON[1]]
        lists.append(listed("options", "pretrain_gpt.py", MEGATRON[0], LATER, rows))
    are_read = {(row["engine"], row["files"]) for row in lists}
    lists += [row for row in json.loads(OUT.read_text())["lists"] if (row["engine"], row["files"]) not in are_read]
    about = "Names that releases of training engines know: of each release what it adds to the one above it, and what it drops. Made by cmake/engine_names.py."
    OUT.write_text(laid_out({"schema": 1, "about": about, "read": f"{date.today()}", "lists": lists}))


if __name__ == "__main__":
    main()
