"""Seeds and words for the fuzz targets, made of what the repository has: tests, cases of rules, samples, and conversions of
tiny checkpoints by the tool itself. Nothing is kept in the repository.

    seeds.py DIRECTORY      DIRECTORY/TARGET/seeds/* and DIRECTORY/TARGET/words.dict for every target
"""

import gzip
import hashlib
import io
import json
import pickle
import re
import sqlite3
import struct
import sys
import tarfile
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, run, temporary_directory, tool  # noqa: E402
from profile_databases import write_databases  # noqa: E402

# Beside the words that are frequent in the seeds.
PIECES = {
    "python": ["torch.cuda", ".cuda()", "'cuda'", "import torch\n", "from torch import *\n", "lambda: ", " := ", "await ", "f'{", "\\\n",
               "# migrator: ignore", "except ImportError:\n", "match x:\n", "\r\n", "\f", "\xef\xbb\xbf", "# coding: latin-1\n"],
    "notebook": ["\\n", "\\u0041", "%%bash\\n", "!", "%", "\"source\"", "\"cells\"", "\"code\"", "\\\"", "\"language\"", "\"metadata\""],
    "shell": ["nvidia-smi", "CUDA_VISIBLE_DEVICES", "export ", "<<EOF\n", "$(", "${", "\\\n", "nccl", "--backend", "#!/bin/bash\n"],
    "yaml": ["cuda", "nccl", "device: ", "- ", "|\n", ">\n", "&a", "*a", "!!str ", "\"", "# "],
    "launch": ["torchrun ", "pretrain_gpt.py ", "--num-layers ", "--fp8-format", "ARGS=(", "\"${ARGS[@]}\"", "source ", "$((", "parallel:\n"],
    "settings": ["FROM ", "RUN ", "ENV ", "ARG ", "CMD [\"", "$(", "${", ":=", "\n\t", "\\\n", "[", "= cuda", "--gpus all", "docker run "],
    "cuda": ["cudaMalloc", "__global__ ", "<<<1, 2>>>", "#include <", "//", "/*", "*/", "\\\n", "R\"(", ")\""],
    "toml": ["[tool.migrator]\n", "[[", "\"\"\"", "'''", "\\u00e9", "1e9", "0x", "inf", "1979-05-27", "{a = 1}", "exclude", "fail-on", "a.b."],
    "json": ["\\ud83d\\ude00", "\\u0000", "1e308", "-0", "18446744073709551615", "9223372036854775808", "NaN", "Infinity"],
    "ops": ["aten::", "torch.", "\"traceEvents\": [", "\"cat\": \"cpu_op\"", "\"cat\": \"kernel\"", "\"Input Dims\": [[", "1e308", "-1",
            "fall back to run on the CPU", "\\x1f\\x8b", "PK\\x03\\x04", "# recorded operators"],
    "git_index": ["DIRC", "link", "sdir", "TREE", "../", ".git", "\\x00\\x00\\x81\\xa4", "\\x00\\x00\\x40\\x00", "\\x00\\x00\\xe0\\x00"],
    "index": ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "\"a\"", "\"b\"", "\"c\"", "total_size", "../"],
    "zip": ["PK\\x01\\x02", "PK\\x03\\x04", "PK\\x05\\x06", "PK\\x06\\x06", "PK\\x06\\x07", "\\xff\\xff\\xff\\xff", "\\x01\\x00"],
    "checkpoint": ["\n== config.json\n", "\n== model.safetensors\n", "\n== adapter_config.json\n", "\n== latest_checkpointed_iteration.txt\n",
                   "\n== iter_0000001/mp_rank_00/model_optim_rng.pt\n", "\n== metadata.json\n", "PK\\x01\\x02", "PK\\x03\\x04"],
}
# What such targets know is in the words of these.
MORE_WORDS = {"config": "rules/models/*.json", "toml": "migrator/app/options.cpp", "checkpoint": "rules/models/*.json"}
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.\-]{3,40}")
MOST_WORDS = 400
TEXTS = {"python": ["*.py"], "notebook": ["*.ipynb"], "shell": ["*.sh"], "yaml": ["*.yaml", "*.yml"], "cuda": ["*.cu", "*.cuh", "*.cpp", "*.h"]}
# By the first byte of an input, as settings_fuzz.cpp has them.
SETTINGS = ["Dockerfile*", "Makefile*", "*.ini", "*.env", "*.toml", "justfile", "*requirements*.txt", "environment*.y*ml"]
FOLDERS = ["tests/golden", "rules", "samples", "templates"]
LARGEST_TEXT = 3_000
LARGEST_TRACE = 30_000
# Families whose cases are converted: dense, tied, with experts, stored in another form.
FAMILIES = ["llama2", "qwen3", "qwen3_moe", "gpt2", "deepseek3", "chatglm3", "gemma2"]


def case_of(family):
    """A tiny model: its config.json, and the shapes of its tensors by format."""
    return json.loads((ROOT / f"rules/models/cases/{family}.json").read_text())


class Seeds:
    def __init__(self, directory):
        self.directory = Path(directory)
        self.words = {}

    def add(self, target, content):
        """The file is named after its content, so that another run finds it again."""
        folder = self.directory / target / "seeds"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
        self.words.setdefault(target, Counter()).update(set(WORD.findall(content)))

    def write_dictionaries(self):
        for target, words in self.words.items():
            for path in sorted(ROOT.glob(MORE_WORDS.get(target, "none"))):
                words.update(set(WORD.findall(path.read_bytes())))
            frequent = [word.decode() for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))]
            lines = [f'"{escaped(word)}"' for word in PIECES.get(target, []) + frequent[:MOST_WORDS]]
            (self.directory / target / "words.dict").write_text("\n".join(lines) + "\n")


def escaped(word):
    """As libFuzzer reads it; what begins with \\x stays."""
    out = []
    for part in re.split(r"(\\x[0-9a-f]{2})", word):
        if re.fullmatch(r"\\x[0-9a-f]{2}", part):
            out.append(part)
        else:
            out += ["\\" + c if c in '\\"' else c if " " <= c <= "~" else f"\\x{ord(c) & 255:02x}" for c in part]
    return "".join(out)


def add_texts(seeds):
    for target, patterns in TEXTS.items():
        for folder in FOLDERS:
            for path in sorted(path for pattern in patterns for path in (ROOT / folder).rglob(pattern)):
                if path.is_file() and not path.is_symlink() and 0 < path.stat().st_size <= LARGEST_TEXT:
                    seeds.add(target, path.read_bytes())
    for number, pattern in enumerate(SETTINGS):
        for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob(pattern)):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_TEXT:
                seeds.add("settings", bytes([number]) + path.read_bytes())
    for kind, pattern in (b"\0", "*.yaml"), (b"\1", "*.sh"):
        for path in sorted(path for folder in ("templates/launch", "tests/model/by_hand") for path in (ROOT / folder).rglob(pattern)):
            seeds.add("launch", kind + path.read_bytes())
    for path in sorted((ROOT / "rules").rglob("*.json")):
        if path.stat().st_size <= LARGEST_TEXT:
            seeds.add("json", path.read_bytes())
    for text in ['"\\u00e9\\n\\ud83d\\ude00"', "[1, -1, 1.5e300, 18446744073709551615, null, true]", '{"a": {"b": [{}, []]}}']:
        seeds.add("json", text.encode())


def add_settings(seeds):
    for body in ['exclude = ["legacy/", \'a\\b\']\nfail-on = "error"\n', 'jobs = 4\naffinity = true\n', '"style" = """npu"""\n',
                 'apply = "safe" # why\n[tool.other]\nx = {y = [1, 2.5, 1979-05-27T07:32:00Z]}\n', "a.b = 1\n", "[[tool.migrator.x]]\n"]:
        seeds.add("toml", b"[tool.migrator]\n" + body.encode())
    seeds.add("toml", b'[project]\nname = "x"\n\n[tool]\nmigrator.exclude = ["a", "b"]\n')


def add_operators(seeds):
    """A graph, a list, a log, counts, and traces of both forms, packed and cut off."""
    seeds.add("ops", (ROOT / "tests/golden/operators/graph.pt2").read_bytes())
    for text in ("aten::add.Tensor float32 3\ntorch.lgamma\n", '{"forward": {"add.Tensor": 2}}',
                 "W The operator 'aten::lgamma.out' is not currently supported on the NPU backend and will fall back to run on the CPU\n"):
        seeds.add("ops", text.encode())
    events = [{"ph": "X", "cat": category, "name": name, "ts": begin, "dur": "3.5", "pid": 1, "tid": "t",
               "args": {"External id": begin, "Input type": ["float"], "Input Dims": [[2, 3], [[1], []]]}}
              for begin, (category, name) in enumerate([("cpu_op", "aten::add"), ("kernel", "k"), ("cpu_op", "aten::mul_")])]
    for trace in (events, {"traceEvents": events}):
        text = json.dumps(trace).encode()
        for content in (text, text[:-40], gzip.compress(text)):
            seeds.add("ops", content)


def add_profiles(seeds):
    """Small traces of both kinds, with and without a table of kernels."""
    folder = ROOT / "tests/golden/profiles/data"
    for path in sorted(folder.glob("gpu_*.json.gz")):
        text = gzip.decompress(path.read_bytes())
        if len(text) <= LARGEST_TRACE:
            seeds.add("profile", text)
    for path in sorted(folder.glob("fuzz_*.tar.gz")):
        with tarfile.open(path) as archive:
            files = {Path(member.name).name: archive.extractfile(member).read() for member in archive if member.isfile()}
        for trace, table in (("gpu.pt.trace.json", b""), ("trace_view.json", files["kernel_details.csv"])):
            if len(files[trace]) + len(table) <= LARGEST_TRACE:
                seeds.add("profile", files[trace] + b"\n== kernel_details.csv\n" + table)
    for kept in (3, 30):
        seeds.add("database", small_database(folder / "syn_a.tar.gz", kept))


def small_database(archive, kept):
    """A profile as a database with so many rows of each table, in pages as small as they can be."""
    with temporary_directory() as name:
        directory = Path(name)
        with tarfile.open(archive) as file:
            file.extractall(directory)
        write_databases(next(directory.rglob("trace_view.json")).parent, directory / "stored")
        path = directory / "stored/ascend_pytorch_profiler_0.db"
        database = sqlite3.connect(path)
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'STRING_IDS'").fetchall():
            database.execute(f"DELETE FROM {table} WHERE rowid NOT IN (SELECT rowid FROM {table} LIMIT {kept})")
        database.commit()
        database.executescript("PRAGMA page_size = 512; VACUUM;")
        database.close()
        return path.read_bytes()


def add_index(seeds):
    one, two = (f"model-0000{i}-of-00002.safetensors" for i in (1, 2))
    full = {"metadata": {"total_size": 18}, "weight_map": {"a": one, "b": one, "c": two}}
    for index in (full, {"weight_map": {"a": one, "b": two, "c": two}}, {"weight_map": {}}, {"metadata": {}, "weight_map": {"a": one, "d": two}}):
        seeds.add("index", json.dumps(index).encode())
    tensors = enumerate(case_of("llama2")["hf"])
    seeds.add("index", json.dumps({"metadata": {}, "weight_map": {name: (one, two)[at % 2] for at, name in tensors}}).encode())


def add_pickles(seeds):
    shared = [1, 2]
    values = [None, {"a": 1, 2: "b", (1, 2): [3.5, -1, 2**70, -(2**63)]}, [shared, shared], {"x", "y"}, frozenset([1]), b"bytes\xff", "\u00e9\U0001f600",
              OrderedDict([("k", (1, ())), ("l", [])]), bytearray(b"ab"), complex(1, 2), slice(1, 2), list(range(300))]
    loop = []
    loop.append(loop)
    for value in [*values, loop]:
        for protocol in range(6):
            seeds.add("pickle", pickle.dumps(value, protocol))


def add_zips(seeds):
    for members in ({"a/data.pkl": b"\x80\x02N."}, {"x/data.pkl": b"", "x/data/0": b"12345678" * 8, "x/version": b"3\n"}, {}):
        for comment in (b"", b"comment"):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                for name, content in members.items():
                    archive.writestr(name, content)
                archive.comment = comment
            seeds.add("zip", out.getvalue())
            seeds.add("torch_file", out.getvalue())


def safetensors(tensors):
    """The header of a safetensors file of bf16 tensors, by name and shape, and its bytes."""
    header, at = {}, 0
    for name, shape in tensors.items():
        size = 2
        for axis in shape:
            size *= axis
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(i * 7 % 61 for i in range(at))


def bundle(directory):
    """A directory as one input of the target `checkpoint`."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return b"\n".join(b"== " + str(path.relative_to(directory)).encode() + b"\n" + path.read_bytes() for path in files)


def files_of_bundle(content):
    """Name and bytes of each file of such an input, changed or not."""
    for part in content.split(b"\n== ")[0 if content.startswith(b"== ") else 1:]:
        name, _, body = part.removeprefix(b"== ").partition(b"\n")
        yield name.decode(errors="replace"), body


def add_headers(seeds):
    for tensors in ({"a": [2, 3]}, {"a": [], "b": [0, 4], "c": [1]}, {}):
        seeds.add("safetensors", safetensors(tensors))
    seeds.add("safetensors", b'{"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, '
                             b'"b": {"dtype": "I64", "shape": [1, 1], "data_offsets": [8, 16]}}')


def add_files_of(seeds, directory):
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.name == ".metadata":
            seeds.add("torch_dist", content)
            seeds.add("pickle", content)
        elif path.suffix == ".pt":
            seeds.add("torch_file", content)
            seeds.add("zip", content)
            with zipfile.ZipFile(path) as archive:
                seeds.add("pickle", archive.read(next(name for name in archive.namelist() if name.endswith("data.pkl"))))
        elif path.suffix == ".safetensors":
            seeds.add("safetensors", content[8:8 + struct.unpack("<Q", content[:8])[0]])


def add_checkpoints(seeds):
    with temporary_directory() as temporary:
        for family in FAMILIES:
            case = case_of(family)
            work = Path(temporary) / family
            (work / "hf").mkdir(parents=True)
            (work / "hf/config.json").write_text(json.dumps(case["config"]))
            (work / "hf/model.safetensors").write_bytes(safetensors(case["hf"]))
            for name, options in (("ranks", ["--tp", "2"]), ("dist", ["--ckpt-format", "torch_dist"])):
                run(tool("ckpt_convert"), "--load-dir", work / "hf", "--save-dir", work / name, *options)
            for directory in sorted(work.iterdir()):
                seeds.add("checkpoint", bundle(directory))
                add_files_of(seeds, directory)
    for path in sorted((ROOT / "rules/models/cases").glob("*.json")):
        seeds.add("config", json.dumps(json.loads(path.read_text())["config"]).encode())


def add_git_indexes(seeds):
    """Of a small tree, in the forms that git writes."""
    with temporary_directory() as name:
        where = Path(name)
        (where / "a/b").mkdir(parents=True)
        for path in ("a/b/c.py", "a/b.py", "d e", "lib"):
            (where / path).write_text(path)
        git = ["git", "-C", where, "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for step in (["init", "-q"], ["add", "."], ["update-index", "--index-version", "4"], ["add", "-N", "."], ["update-index", "--split-index"],
                     ["rm", "-q", "--cached", "lib"]):
            run(*git, *step)
            index = where / ".git/index"
            shared = b"".join(b"\n== shared\n" + path.read_bytes() for path in where.glob(".git/sharedindex.*"))
            if index.exists():
                seeds.add("git_index", index.read_bytes() + shared)


def make(directory):
    """Makes all seeds; the targets that have some."""
    seeds = Seeds(directory)
    for step in (add_texts, add_settings, add_operators, add_profiles, add_index, add_pickles, add_zips, add_headers, add_checkpoints, add_git_indexes):
        step(seeds)
    seeds.write_dictionaries()
    return sorted(seeds.words)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(" ".join(make(sys.argv[1])))
