"""Migrates text of n bytes and of 2n bytes, of the same making, and asks that the second costs less than three times the first,
or that 4n bytes cost less than three times 2n.

    migrator_growth.py [--size BYTES] [--only WORDS]

What is repeated comes from the rules: their cases, every name, variable and word in them, and the code of their patterns, one
behind the other and in each other. Beside it stand the ways in which Python can be long or deep.

The cost is the processor's time of the program, less that of an empty project. A busy machine makes it longer, never shorter:
where a pair fails, both are run again, and the least of each counts. What grows with the square fails however often it is run.
"""

import argparse
import itertools
import json
import math
import os
import re
import resource
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, skip, temporary_directory, tool  # noqa: E402

RATIO = 3
TRIES = 6
SECONDS = 120       # of the processor for one run, which needs less than one
LEAST = 0.06        # seconds; less is as good as nothing
FOLDERS = ("advice", "affinity", "api", "custom_ops", "env", "rewrite", "third_party")
STYLES = {
    "npu": ["--affinity", "--apply", "review"],
    "portable": ["--style", "portable"],
}
T = "import torch\n"
MODEL = T + "model = torch.nn.Linear(1, 1).cuda()\nopt = torch.optim.Adam(model.parameters())\n"
STEP = "    loss = model(x.cuda())\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n    print(loss.item())\n"


# ---- text of about so many bytes ----

class Lines:
    """`head`, parts one behind the other, `tail`. A part is a text, in which {i} is its number, {j} the next and {h} the one
    in front; in the tail {n} is their count."""

    encoding = "utf-8"

    def __init__(self, *parts, head=T, tail="", file="t.py", styles=tuple(STYLES)):
        self.parts, self.head, self.tail, self.file, self.styles = parts, head, tail, file, styles

    def text(self, size):
        out, left, i = [self.head], size - len(self.head) - len(self.tail), 0
        while left > 0:
            part = self.parts[i % len(self.parts)].replace("{i}", str(i)).replace("{j}", str(i + 1)).replace("{h}", str(i - 1))
            out.append(part)
            left -= len(part)
            i += 1
        return "".join(out) + self.tail.replace("{n}", str(i))


class Levels(Lines):
    """`head`, what opens, the innermost, what closes, `tail`: one level for each pair, one in the other."""

    def __init__(self, *pairs, inner="x", head=T + "x = ", tail="\ny.to(x)\n", styles=tuple(STYLES)):
        super().__init__(*pairs, head=head, tail=tail, styles=styles)
        self.inner = inner

    def text(self, size):
        levels = max(1, size * len(self.parts) // sum(len(left) + len(right) for left, right in self.parts))
        pairs = [self.parts[i % len(self.parts)] for i in range(levels)]
        left = "".join(pair[0].replace("{i}", str(i)) for i, pair in enumerate(pairs))
        return self.head + left + self.inner + "".join(pair[1] for pair in reversed(pairs)) + self.tail


class Index(Lines):
    """An index of git of version 4: what each path leaves away of the one before, and what comes in its place."""

    encoding = "latin-1"

    def __init__(self, first, left_away, part):
        super().__init__(file=".git/index")
        self.first, self.part = first, part
        self.left_away = bytes([left_away]) if left_away < 128 else bytes([127 + (left_away >> 7), left_away & 127])

    def text(self, size):
        entries, left, i = [], size, 0
        while left > 0:
            name = (self.part if i else self.first + self.part).replace("{i}", f"{i:07}").encode()
            entries.append(bytes(24) + struct.pack(">I", 0o100644) + bytes(34) + (self.left_away if i else b"\0") + name + b"\0")
            left -= len(entries[-1])
            i += 1
        return (b"DIRC" + struct.pack(">II", 4, i) + b"".join(entries) + bytes(20)).decode("latin-1")


# ---- from the rules ----

def texts(value):
    """Every text of a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


def members(value, key):
    """What stands under this key, anywhere."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from members(one, key)


def indented(text):
    return "".join("    " + line if line.strip() else line for line in text.splitlines(True))


def from_cases():
    """Every case of every rule below itself, and in functions of its own."""
    for folder in FOLDERS:
        for path in sorted((ROOT / "rules" / folder / "cases").rglob("*")):
            if not path.is_file() or path.suffix in (".so", ".ptx", ".engine", ".plan") or re.search(r"\.(expected|reviewed)\.", path.name):
                continue
            text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
            style = ("portable",) if "portable" in path.parts else ("npu",)
            name = path.relative_to(ROOT / "rules").as_posix()
            yield name, Lines(text, head="", file=path.name, styles=style)
            if path.suffix == ".py" and "__future__" not in text:
                yield f"functions of {name}", Lines("def f{i}():\n" + indented(text), head="", styles=style)


def from_words():
    """Every name, variable and word that a rule knows."""
    rules = [json.loads(path.read_text()) for folder in FOLDERS for path in sorted((ROOT / "rules" / folder).glob("*.json"))]
    known = sorted(set(texts(rules)))
    names = [one for one in known if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", one)]
    variables = [one for one in known if re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+", one)]
    words = sorted({word for some in members(rules, "words") for word in texts(some) if "\n" not in word})
    packages = sorted({one for one in members(rules, "package") if isinstance(one, str)})
    modules = sorted({one for some in members(rules, "modules") for one in texts(some) if re.fullmatch(r"[\w.]+", one)})
    roots = "".join(f"import {root}\n" for root in sorted({name.split(".")[0] for name in names}))
    yield "names", Lines(*(f"{name}\n" for name in names), head=roots)
    yield "calls of names", Lines(*(f"{name}(x, device='cuda')\n" for name in names), head=roots)
    yield "texts of names", Lines(*(f"f('{name}')\n" for name in names))
    yield "imported names", Lines(*("from {} import {}\n{}(x)\n".format(*name.rpartition(".")[::2], name.rpartition(".")[2])
                                    for name in names))
    yield "members", Lines(*(f"x.{name.rpartition('.')[2]}(y)\n" for name in names))
    yield "modules", Lines(*(f"import {module}\n{module}.f()\n" for module in modules))
    yield "packages", Lines(*(f"{one}==1.0\n" for one in packages), head="", file="requirements.txt")
    yield "packages in pyproject.toml", Lines(*(f'  "{one}",\n' for one in packages), head="[project]\ndependencies = [\n", tail="]\n",
                                              file="pyproject.toml")
    yield "packages in a script", Lines(*(f"pip install {one}\n" for one in packages), head="", file="t.sh")
    lines = {"t.sh": "export {0}=1 && python a.py --gpus {0}\n", "t.yaml": "{0}: 1\n", "Dockerfile": "ENV {0}=1\n", "t.toml": "{0} = 1\n", "t.py": "os.environ['{0}'] = '1'\n", "t.cmake": "set({0} 1)\n"}
    for file, line in lines.items():
        head = "import os\n" if file == "t.py" else ""
        yield f"variables in {file}", Lines(*(line.format(one) for one in variables), head=head, file=file)
    yield "variables in t.json", Lines(*(f'{{"{one}": "1"}},\n' for one in variables), head="[\n", tail="1]\n", file="t.json")
    for file in ("t.sh", "t.yaml", "Dockerfile", "t.cu", "t.cpp", "t.cmake"):
        yield f"words in {file}", Lines(*(f"{word} x y\n" for word in words), head="", file=file)
    yield "one line of words", Lines(*(f"{word} " for word in words), head="", file="t.sh")
    cell = '{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": %s}, '
    yield "cells", Lines(*(cell % json.dumps(["import torch\n", f"{name}()\n", "!pip install apex\n"]) for name in names), file="t.ipynb",
                         head='{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [', tail=(cell % "[]").rstrip(", ") + "]}")
    codes = [one for some in members(rules, "code") for one in texts(some) if "$" in one and "\n" not in one]
    yield "patterns", Lines(*("y{i} = " + filled(code, "x") + "\n" for code in codes), head=T + "import math\n", styles=("npu",))
    yield "patterns of each other", Lines(*("x{j} = " + filled(code, "x{i}") + "\n" for code in codes), head=T + "import math\n",
                                          styles=("npu",))
    pairs = [(f"({filled(left, 'x')}", filled(re.sub(r"^\w+", "", right), "x") + ")")
             for left, _, right in (code.partition("$") for code in codes) if "lambda" not in left]
    yield "patterns in each other", Levels(*pairs, head=T + "import math\nx = ", styles=("npu",))


def filled(code, by):
    return re.sub(r"\$\w+", by, code)


# ---- ways to be long ----

def long_python():
    yield "calls", Lines("x.cuda()\n")
    yield "calls on a line", Lines("x.to('cuda'); torch.cuda.init(); ")
    yield "comments", Lines("x.cuda()  # migrator: ignore[method.cuda]\n# migrator: ignore\nx.cuda()\n")
    yield "one variable", Lines("x = 'cuda'\n", tail="y.to(x)\n")
    yield "one variable, used", Lines("x = 'cuda'\ny.to(x)\n")
    yield "variables in a chain", Lines("x{j} = x{i}\ny.to(x{i})\n", head=T + "x0 = 'cuda'\n", tail="y.to(x{n})\n")
    yield "one variable of itself", Lines("x = x.cuda()\n", head=T + "for i in z:\n  pass\n")
    yield "variables of a loop", Lines("    x{i} = x{j}.cuda()\n", head=T + "while z:\n", tail="    x{n} = x0\n")
    yield "swapped", Lines("    x, y = y, x.cuda()\n", head=T + "while z:\n")
    yield "augmented", Lines("x += 'cuda'\n", head=T + "x = 'cuda'\n", tail="y.to(x)\n")
    yield "chained assignments", Lines("a{i} = ", tail="'cuda'\ny.to(a0)\n")
    yield "deleted", Lines("x = 'cuda'\ndel x\n", tail="y.to(x)\n")
    yield "unpacked", Lines("a, b = 'cuda', x\ny.to(a)\n")
    yield "walrus", Lines("(x := 'cuda')\ny.to(x)\n")
    yield "globals", Lines("def f{i}():\n    global x\n    x = 'cuda'\n    y.to(x)\n", head=T + "x = 'cuda'\n")
    yield "nonlocals", Lines("    def f{i}():\n        nonlocal x\n        x = 'cuda'\n        y.to(x)\n", head=T + "def g():\n    x = 'cuda'\n")
    yield "aliases of one name", Lines("from a import b{i} as x\nx()\n")
    yield "names on demand", Lines("    'm{i}': ['x'],\n", head="from t import x\ndef __getattr__(name): ...\nt = {\n", tail="}\n")
    yield "guards", Lines("if torch.cuda.is_available():\n    x = pynvml.a()\nf(x)\n", head=T + "import pynvml\n")
    yield "guards in a chain", Lines("elif torch.cuda.is_available():\n    x{i} = pynvml.a()\n",
                                     head=T + "import pynvml\nif torch.cuda.is_available():\n    pynvml.a()\n")
    yield "one flag", Lines("if flag:\n    x{i} = pynvml.a()\n", head=T + "import pynvml\nflag = torch.cuda.is_available()\n", tail="f(x1)\n")
    yield "global names", Lines("a{i}, ", head=T + "global ", tail="x\n")
    yield "keys", Lines("'k{i}': 'cuda', ", head=T + "x = {", tail="}\ny.to(x['k0'])\n")
    yield "keys, set and read", Lines("x['k{i}'] = 'cuda'\ny.to(x['k{i}'])\n", head=T + "x = {}\n")
    yield "elements", Lines("'cuda', ", head=T + "x = [", tail="]\nfor d in x:\n    y.to(d)\n")
    yield "one function", Lines("def f(d='cuda'):\n    return f(d)\n")
    yield "one function, called", Lines("def f(d='cuda'):\n    return d\nx.to(f('cuda'))\n")
    yield "functions in a chain", Lines("def f{i}(d='cuda'):\n    return f{j}(d)\n", tail="x.to(f0())\n")
    yield "functions in a chain, called", Lines("def f{j}(d):\n    x.to(d)\n    return f{i}(d)\nx.to(f{j}('cuda'))\n", head=T + "def f0(d): return d\n")
    yield "tensors through functions", Lines("def f{j}():\n    return f{i}()\nf{j}().cuda()\n", head=T + "def f0(): return torch.zeros(1)\n")
    yield "parameters", Lines("a{i}='cuda', ", head=T + "def f(", tail="):\n    x.to(a0)\n")
    yield "uses of a parameter", Lines("    x.to(d)\n", head=T + "def f(d):\n", tail="f('cuda')\n")
    yield "returns", Lines("    if d: return 'cuda'\n", head=T + "def f(d):\n", tail="x.to(f())\n")
    yield "yields", Lines("    yield 'cuda'\n", head=T + "def f(d):\n", tail="for x in f(): y.to(x)\n")
    yield "arguments", Lines("'cuda', ", head=T + "torch.device(", tail=")\n")
    yield "keyword arguments", Lines("a{i}='cuda', device='cuda', ", head=T + "torch.zeros(", tail=")\n")
    yield "stars", Lines("*a, **b, ", head=T + "f(", tail=")\n")
    yield "classes in a chain", Lines("class A{j}(A{i}):\n    def f(self): x.to(self.d)\n", head=T + "class A0:\n    d = 'cuda'\n")
    yield "modules in a chain", Lines("class A{j}(A{i}):\n    def f(self): return super().f().cuda()\n",
                                      head=T + "class A0(torch.nn.Module):\n    def f(self): return torch.zeros(1)\n")
    yield "classes, the base behind", Lines("class A{i}(A{j}):\n    def f(self): x.to(self.d)\n", tail="class A{n}:\n    d = 'cuda'\n")
    yield "one class", Lines("class A:\n    d = 'cuda'\n    def f(self): x.to(self.d)\n")
    yield "one class of itself", Lines("class A(A):\n    def f(self): x.to(self.d)\n", head=T + "class A:\n    d = 'cuda'\n")
    yield "bases", Lines("B{i}, ", head=T + "class A(", tail="): pass\nA().cuda()\n")
    yield "methods", Lines("    def f{i}(self): self.f{j}().cuda()\n", head=T + "class A(torch.nn.Module):\n")
    yield "fields", Lines("    a{i}: str = 'cuda'\n    def f{i}(self): x.to(self.a{i})\n", head=T + "class A:\n")
    yield "one attribute", Lines("        self.a = 'cuda'\n        y.to(self.a)\n", head=T + "class A:\n    def f(self):\n")
    yield "attributes of an object", Lines("o.a{i} = 'cuda'\no.a = 'cuda'\ny.to(o.a)\n", head=T + "o = object()\n")
    yield "layers", Lines("        self.l{i} = torch.nn.SiLU().cuda()\n", head=T + "class A(torch.nn.Module):\n    def __init__(self):\n")
    yield "elif", Lines("elif torch.cuda.is_available():\n    x = 'cuda:0'\n", head=T + "if a:\n    x = 'cuda'\n", tail="y.to(x)\n")
    yield "if and else", Lines("if a{i}:\n    x = 'cuda'\nelse:\n    x = 'cpu'\n", tail="y.to(x)\n")
    yield "try", Lines("try:\n    x = 'cuda'\nexcept E{i}:\n    x = 'cpu'\n", tail="y.to(x)\n")
    yield "except", Lines("except E{i}:\n    x = 'cpu'\n", head=T + "try:\n    x = 'cuda'\n", tail="y.to(x)\n")
    yield "for and with", Lines("for i in x: y.to('cuda')\nwith torch.cuda.amp.autocast(): y.to('cuda')\n")
    yield "with items", Lines("torch.cuda.amp.autocast() as a{i}, ", head=T + "with (", tail="): pass\n")
    yield "case", Lines("    case 'cuda': y.to(x)\n", head=T + "match x:\n")
    yield "case or", Lines("'cuda' | ", head=T + "match x:\n    case ", tail="a: y.to(x)\n")
    yield "decorators", Lines("@torch.cuda.amp.autocast()\n", tail="def f(): pass\n")
    yield "for in for", Lines("for a in b if torch.cuda.is_available() ", head=T + "x = [a ", tail="]\n")
    yield "annotations", Lines("def f{i}(x: torch.Tensor) -> torch.Tensor: return x.cuda()\n")
    yield "union", Lines("int | ", head=T + "x: ", tail="torch.Tensor\nx.cuda()\n")
    yield "attribute chain", Lines(".a", head=T + "torch.cuda", tail="\n")
    yield "call chain", Lines(".to('cuda').half().cuda()", head=T + "x", tail="\n")
    yield "subscript chain", Lines("['cuda']", head=T + "d = a", tail="\ny.to(d)\n")
    for name, part in {"added texts": "'cuda' + ", "products": "x * torch.sigmoid(x) * ", "powers": "x ** ", "quotients": "x / ", "and": "x.device.type == 'cuda' and ",
                       "or": "torch.cuda.is_available() or ", "comparisons": "'cuda' == ", "matrices": "q @ k.transpose(-2, -1) @ ",
                       "one factor": "x * ", "added tensors": "x.cuda() + "}.items():
        yield name, Lines(part, head=T + "x = ", tail="x\ny.to(x)\n")
    yield "adjacent texts", Lines("'cuda' ", head=T + "x = ", tail="\ny.to(x)\n")
    yield "adjacent f-strings", Lines("f'cuda{i}'\n", head=T + "x = (", tail=")\ny.to(x)\n")
    yield "adjacent names of devices", Lines("'cuda:0' ',' ", head=T + "x = torch.device(", tail=")\n")
    yield "f-string", Lines("{a}cuda\\n{{", head=T + "x = f'", tail="'\ny.to(x)\n")
    yield "text", Lines("cuda:0,\\x63uda ", head=T + "x = '", tail="'\ny.to(x)\n")
    yield "code in a text", Lines("torch.cuda.init()\n", head=T + "exec('''", tail="''')\n")
    yield "codes in texts", Lines("exec('import torch; torch.cuda.init()')\n")
    yield "format", Lines("'cuda', ", head=T + "x = 'cuda:{}'.format(", tail=")\ny.to(x)\n")
    yield "joined lines", Lines("a + \\\n", head=T + "x = ", tail="torch.cuda.init()\n")
    yield "blank lines", Lines("\n", "    \n", "#\n", tail="torch.cuda.init()\n")
    yield "__all__", Lines("__all__ += ['cuda{i}']\n", head=T + "__all__ = []\n")
    yield "command", Lines("'nvidia-smi', ", head="import subprocess\nsubprocess.run([", tail="])\n")
    yield "commands", Lines("os.system('CUDA_VISIBLE_DEVICES={i} python a.py && nvidia-smi')\n", head="import os\n")
    yield "options", Lines("p.add_argument('--device{i}', default='cuda')\n", head="import argparse\np = argparse.ArgumentParser()\n")
    yield "getattr", Lines("getattr(torch, 'cuda').init()\nsetattr(o, 'device', 'cuda')\n")
    yield "types of elements", Lines("d{j} = d{i}\nx = torch.zeros(1, dtype=d{j}).cuda()\n", head=T + "d0 = torch.float64\n")
    yield "training loops", Lines("for x in data:\n" + STEP, head=MODEL)
    yield "training steps", Lines(STEP, head=MODEL + "for x in data:\n")
    yield "functions that train", Lines("def train{i}():\n" + STEP + "    train{j}()\n", head=MODEL, tail="for x in data:\n    train0()\n")
    yield "loops that call", Lines("for x in data: train()\n", head=MODEL + "def train():\n" + STEP)
    yield "definitions of each other", Lines("s{i} = torch.sigmoid(x)\nx = x * s{i}\n", head=T + "x = torch.zeros(1)\n", styles=("npu",))
    yield "one definition", Lines("y = x * s\n", head=T + "x = torch.zeros(1)\ns = torch.sigmoid(x)\n", styles=("npu",))
    yield "small functions", Lines("def f{i}(x):\n    return x * torch.sigmoid(x)\ny = f{i}(x) * 2\n", styles=("npu",))


def long_imports():
    yield "imported names of a module", Lines("a{i}, ", head="from torch.cuda import (", tail=")\n")
    yield "imports that move", Lines("nvtx as a{i}, ", head="from torch.cuda import (", tail=")\n")
    yield "imports that move, used", Lines("from torch.cuda import nvtx as a{i}\na{i}.mark('x')\n")
    yield "imports on a line", Lines("import torch.cuda as a{i}; a{i}.init(); ")
    yield "stars", Lines("from m{i} import *\nname{i}()\n", tail="is_available()\n")
    yield "one star", Lines("from torch.cuda import *\nis_available()\n")
    yield "import of dots", Lines(".", head="from ", tail=" import x\n")
    yield "one import", Lines("import torch\ntorch.cuda.init()\n")
    yield "imports under names", Lines("import torch.cuda as c{i}\nc{i}.init()\n")
    yield "compiled modules", Lines("import flash_cuda\nflash_cuda.f()\n")
    yield "imports in functions", Lines("def f{i}():\n    import torch\n    x = torch.zeros(1, device='cuda')\n    torch.cuda.init()\n", head="")
    yield "imports in try", Lines("try:\n    import torch.cuda\nexcept ImportError:\n    torch = None\n", head="")
    yield "uses of an optimizer", Lines("FusedAdam(p)\n", head="from apex.optimizers import FusedAdam\n")
    yield "optimizers", Lines("from apex.optimizers import FusedAdam\nFusedAdam(p)\n")


def long_sources():
    for name, part in {"registrations": 'm.def("f{i}(Tensor x) -> Tensor");\n', "registrations by macros": '#define N{i} "f"\nm.def(N{i}, f);\n',
                       "open registrations": "TORCH_LIBRARY(a, m) { m.def(", "registrations in registrations": "TORCH_LIBRARY(",
                       "kernels": "__global__ void f{i}(int x) { g<<<1, 2>>>(x); }\n", "open kernels": "__global__ void f(", "braces": "{",
                       "launches": "f<<<", "names": "at::cuda::"}.items():
        yield name, Lines(part, head="TORCH_LIBRARY(a, m) {\n", file="t.cu")
    for name, part in {"substitutions": "$(nvidia-smi ", "quoted substitutions": '"$(', "lines": "python a.py \\\n", "quotes": '"', "braces": "${a:-",
                       "documents": "cat <<A ", "variables": "A{i}=$A{j}\npython a.py --device $A{i}\n", "patterns": "case $A in cuda) ",
                       "containers": "docker run --gpus all --runtime=nvidia -e CUDA_VISIBLE_DEVICES=0 a\n", "packages": "pip install apex ", "modules": "module load cuda ", "programs": "python -c 'import torch; torch.cuda.init()'\n",
                       "programs in documents": "python - <<A\nimport torch\ntorch.cuda.init()\nA\n", "open programs": "python - <<A\n"}.items():
        yield f"shell {name}", Lines(part, head="", file="t.sh")
    for name, part in {"flow": "{a: ", "sequences": "- ", "blocks": "run: |\n  nvidia-smi\n", "quotes": "a: \"\n", "texts": "'x\n",
                       "keys": "d{i}: cuda:0\n", "lists": "d: [cuda:0, "}.items():
        yield f"YAML {name}", Lines(part, head="", file="t.yaml")
    yield "one program in a script", Lines("torch.cuda.init();", head="python -c 'import torch;", tail="'\n", file="t.sh")
    yield "services", Lines("  s{i}:\n    runtime: nvidia\n    gpus: all\n", head="services:\n", file="t.yaml")
    yield "one service", Lines("    runtime: nvidia\n", head="services:\n  a:\n", tail="    gpus: all\n", file="t.yaml")
    yield "services in services", Lines("{services: ", head="a: ", file="t.yaml")
    yield "instance groups", Lines("{ kind: KIND_GPU }\n", head="instance_group [\n", file="t.pbtxt")
    for name, part in {"recipes": "t{i}:\n\tpython a.py --device $(shell nvidia-smi)\n", "functions": "$(shell "}.items():
        yield f"make {name}", Lines(part, head="", file="Makefile")
    for name, part in {"tables": "[a.b]\n", "arrays": "a = [\n", "texts": "a = \'\'\'\n"}.items():
        yield f"TOML {name}", Lines(part, head="", file="t.toml")
    for file, part in {"t.json": "[", "t.ini": "[", "t.env": "A=$(", "t.ps1": "{'\"`", "pyproject.toml": "a = [\n"}.items():
        yield f"open {file}", Lines(part, head="", file=file)
    for file in ("t.sh", "t.yaml"):
        yield f"devices on a line of {file}", Lines("--device cuda device=cuda ", head="a: ", file=file)
    for name, part in {"JSON": '{"a": ', "words": '"device": "cuda", '}.items():
        yield f"{name} in a text", Lines(part, head="import json\na = json.loads('", tail="')\n")
    yield "texts of settings", Lines("a = json.loads('{\"device\": \"cuda\"}')\n", head="import json\n")
    yield "Docker lines", Lines("RUN pip install apex \\\n", head="", file="Dockerfile")
    for name, part in {"classes": "[[:", "stars": "*a", "directories": "**/a/", "negations": "!a\n"}.items():
        yield f"patterns {name}", Lines(part, head="", file=".gitignore")


def long_indexes():
    yield "files", Index("", 7, "{i}")
    yield "files far below", Index("x/" * 2000, 7, "{i}")
    yield "directories", Index("", 9, "{i}/x")
    yield "directories in each other", Index("", 1009, "{i}/" + "d/" * 500 + "x")


# ---- ways to be deep ----

def deep_python():
    for name, left, right in (
            ("parentheses", "(", ")"), ("lists", "['cuda', ", "]"), ("dictionaries", "{'device': 'cuda', 'a': ", "}"), ("tuples", "(", ",)"),
            ("calls", "f(y.cuda(), ", ")"), ("devices", "torch.device(", ")"), ("moves", "y.to('cuda', ", ")"),
            ("keyword arguments", "f(device='cuda', a=", ")"), ("lambdas", "lambda d='cuda': y.to(d) or ", ""), ("not", "not ", ""),
            ("minus", "-", ""), ("await", "await ", ""), ("else", "'cuda' if torch.cuda.is_available() else ", ""),
            ("then", "(", " if torch.cuda.is_available() else 'cuda')"), ("conditions", "('cuda' if ", " else 'cpu')"),
            ("subscripts", "a['cuda', ", "]"), ("comprehensions", "[y.to('cuda') for y in ", "]"), ("walrus", "(a{i} := 'cuda', ", ")"),
            ("and", "(torch.cuda.is_available() and ", ")"), ("comparisons", "(d.type == 'cuda') == (", ")"),
            ("variables", "os.environ.get('CUDA_VISIBLE_DEVICES', ", ")"), ("getattr", "getattr(torch, 'cuda', ", ")"),
            ("sigmoid", "torch.sigmoid(y) * y * (", ")"), ("softmax", "torch.softmax(", ", dim=-1)"), ("str", "str(", ")"),
            ("commands", "subprocess.run(['nvidia-smi'], ", ")"), ("train", "train(", ")"), ("partial", "functools.partial(", ", 'cuda')")):
        head = "import torch, os, subprocess, functools\ndef train(d): d.backward(); opt.step()\n"
        yield name, Levels((left, right), head=head + "x = ")
    yield "annotations", Levels(("Optional[", "]"), inner="torch.Tensor", head=T + "x: ", tail="\nx.cuda()\n")
    yield "dictionaries of devices", Levels(("{'cuda': ", "}"), inner="'cuda'", tail="\ny.to(x['cuda'])\n")


def shapes():
    for kind, make in (("case", from_cases), ("rules", from_words), ("long", long_python), ("imports", long_imports),
                       ("source", long_sources), ("index", long_indexes), ("deep", deep_python)):
        for name, shape in make():
            yield f"{kind}: {name}", shape


# ---- cost ----

def run_time(arguments):
    """Seconds of the processor, and the exit code."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limits) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime, program.returncode


class Measure:
    """Runs shapes, each in a directory of its own."""

    def __init__(self, work, size):
        self.work, self.size, self.numbers = work, size, itertools.count()
        self.start = min(self.once("empty", Lines(head="x = 1\n"), "npu", 0)[0] for _ in range(5))

    def once(self, name, shape, style, size):
        directory = self.work / str(next(self.numbers))
        (directory / "p").mkdir(parents=True)
        (directory / "p" / shape.file).parent.mkdir(exist_ok=True)
        (directory / "p" / shape.file).write_text(shape.text(size), encoding=shape.encoding)
        if shape.file.startswith(".git"):  # which is no project by itself
            (directory / "p/t.py").write_text(T)
        seconds, code = run_time([tool("migrator"), "migrate", str(directory / "p"), "-o", str(directory / "out"), "-q", "-j", "1", "--no-config",
                                  *STYLES[style]])
        subprocess.run(["rm", "-rf", str(directory)], check=True)
        if code != 0:
            raise RuntimeError(f"{name}, {style}, {size} bytes: exit code {code} after {seconds:.1f} s")
        return seconds, code

    def grows(self, name, shape, style):
        """None when it is linear; else what was measured. One step may be a step of the machine's caches: two are the shape's."""
        least = {}

        def step(size):
            for _ in range(TRIES):
                for one in (size, 2 * size):
                    least[one] = min(least.get(one, math.inf), self.once(name, shape, style, one)[0] - self.start)
                if least[2 * size] < RATIO * max(least[size], LEAST):
                    return False
            return True
        if not (step(self.size) and step(2 * self.size)):
            return None
        return f"{name}, {style}: " + ", ".join(f"{seconds:.2f} s for {size} bytes" for size, seconds in least.items())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--size", type=int, default=24_000)
    options.add_argument("--only", default="", help="shapes with this in their names")
    args = options.parse_args()
    if sys.platform != "linux":
        skip("the time of a program is measured as on Linux")
    checks = Checks()
    with temporary_directory() as directory, ThreadPoolExecutor(2) as pool:
        measure = Measure(Path(directory), args.size)
        jobs = [(name, shape, style) for name, shape in shapes() if args.only in name for style in shape.styles]

        def grows(job):
            try:
                return measure.grows(*job)
            except RuntimeError as problem:
                return str(problem)
        for problem in pool.map(grows, jobs):
            checks.expect(problem is None, problem)
    checks.finish()


if __name__ == "__main__":
    main()
