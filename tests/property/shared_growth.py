"""Grows two lengths of an input together: how many items there are, and how much the one thing weighs that all of them refer to.

    shared_growth.py [--all | --long] [--only WORDS] [--show]

Four times as many items below a name that is four times as long make a file four times as large, and sixteen times as much where each
item spells the name. So every reader is given one shape for each way in which something short can stand for something long (a name for
the way to it, a number for a text, a memo for a value, a group for its members), at one size and at four times that size, and the second
must cost less than eight times the first: of the processor's time and of memory, both without what an empty run takes.

A busy machine makes a run longer, never shorter: what fails is run again, and the least of each counts. What costs less than LEAST at the
larger size is not run at the smaller one. --long: every shape at sixteen times the size as well, against four.
"""

import argparse
import json
import math
import os
import pickle
import resource
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, skip, temporary_directory, tool  # noqa: E402
from pickled import TENSOR, number, text, torch_file  # noqa: E402
from profile_databases import MadeDatabase  # noqa: E402

STEP, RATIO = 4, 8
TRIES = 4
SECONDS = 30                 # of the processor for one run
HOPELESS = 4                 # more than this is no busy machine
MEMORY = 6 << 30             # bytes of one run
LEAST_SECONDS, LEAST_MIB = 0.6, 60
USUAL_CODES = (0, 1, 2, 4)   # a limit may be said in one line
EVERY = 8                    # without --long: one of so many shapes, and
# those that were not linear once.
KNOWN = ("p/t.py: a module of many parts", "p/t.py: a long function", "p/t.yaml: a list below a long key", "p/t.cu: a long macro",
         "p/t.cu: a long library", "p/t.py: a long list of devices", "files with the names of each other", "trace of a GPU: modules in each other", "trace of a GPU: arrows of one operator", "database: shapes of one long text",
         "database: kernels of one long text", "database: groups", "database: computed texts", "pickle: a list in itself", "pickle: tensors below a long key")
DEVICE = "device('cuda')"
SHAPES = []


def shape(commands, **sizes):
    """A shape of these names: a function of a folder, of `n` items and of a `length`, that writes what `commands` read."""
    def add(make):
        SHAPES.append((make.__name__.replace("_", " "), make, commands, sizes))
        return make
    return add


def text_shapes(file, table, commands, **sizes):
    for name, text in table.items():
        def make(folder, n, length, text=text):
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(n, length), encoding="utf-8")
        SHAPES.append((f"{file}: {name}", make, commands, sizes))


def repeated(n, part):
    return "".join(part.replace("@", str(i)) for i in range(n))


# ---- projects ----

ANALYZE = [["migrator", "analyze", "{}", "-q", "--no-config", "-j", "1", "--report", "{out}", "--format",
            "html,json,diff,markdown,csv,sarif,gitlab,junit"],
           ["migrator", "migrate", "{}", "-o", "{out}", "-q", "--no-config", "-j", "1", "--affinity", "--apply", "review"]]
USES = "z.f@(torch.device('cuda'))\n"
PYTHON = {
    "a long module": lambda n, l: f"import torch\nimport {'k' * l} as z\n" + repeated(n, USES),
    "a long module without an alias": lambda n, l: f"import torch\nimport {'k' * l}\nz = {'k' * l}\n" + repeated(n, USES),
    "a module of many parts": lambda n, l: f"import torch\nimport {'.'.join(['ab'] * (l // 3))} as z\n" + repeated(n, USES),
    "a name of a long module": lambda n, l: f"import torch\nfrom {'k' * l} import z\n" + repeated(n, USES),
    "names of a long module": lambda n, l: f"import torch\nfrom {'k' * l} import (" + repeated(n, "a@, ") + ")\n" + repeated(n, "a@.cuda()\n"),
    "a star of a long module": lambda n, l: f"import torch\nfrom {'k' * l} import *\n" + repeated(n, "a@.cuda()\n"),
    "a long text": lambda n, l: f"import torch\nd = '{'k' * l}'\n" + repeated(n, "x.to(d)\ny@ = torch.device(d)\n"),
    "a long text of devices": lambda n, l: f"import torch\nd = '{'cuda,' * (l // 5)}'\n" + repeated(n, "x.to(d)\ny@ = torch.device(d)\n"),
    "a long text that is formatted": lambda n, l: f"import torch\nd = '{'k' * l}'\n" + repeated(n, "x.to(f'cuda:{d}')\nos.environ[d + 'A@'] = d\n"),
    "a long name": lambda n, l: f"import torch\n{'k' * l} = 'cuda'\nd = {'k' * l}\n" + repeated(n, "x.to(d)\n"),
    "a chain of names": lambda n, l: "import torch\na0 = 'cuda'\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(l // 16)) + repeated(n, f"x.to(a{l // 16})\n"),
    "a chain of attributes": lambda n, l: "import torch\nz = torch" + ".cuda" * (l // 5) + "\n" + repeated(n, "z.f@()\n"),
    "attributes of aliases": lambda n, l: f"import torch\nimport {'k' * l} as z\n" + "".join(f"z{i} = z.a{i}\nz{i}.cuda()\n" for i in range(n)),
    "aliases of aliases": lambda n, l: f"import torch\nimport {'k' * l} as z0\n" + "".join(f"z{i + 1} = z{i}.a\n" for i in range(n)) + f"z{n}.cuda()\n",
    "a long class": lambda n, l: f"import torch\nclass {'K' * l}(torch.nn.Module):\n" + repeated(n, "    def f@(self): self.x@ = torch.zeros(1).cuda()\n"),
    "a long function": lambda n, l: f"import torch\ndef {'k' * l}():\n" + repeated(n, "    x@ = torch.zeros(1).cuda()\n"),
    "a long base": lambda n, l: f"import torch\nimport {'k' * l} as z\n" + repeated(n, "class A@(z.B):\n    def f(self): self.cuda()\n"),
    "bases of bases": lambda n, l: "import torch\nclass A0:\n    d = 'cuda'\n" + "".join(f"class A{i + 1}(A{i}): pass\n" for i in range(l // 24)) + repeated(n, f"x.to(A{l // 24}.d)\nA{l // 24}().cuda()\n"),
    "a long line": lambda n, l: "import torch\nx = [" + f"'{'k' * l}', " + repeated(n, "y.cuda(), ") + "]\n",
    "a long line of a command": lambda n, l: "import subprocess\nsubprocess.run(['" + "k" * l + "', " + repeated(n, "'nvidia-smi', ") + "])\n",
    "a long comment": lambda n, l: f"import torch\n# {'k' * l}\n" + repeated(n, "x.cuda()\n"),
    "a long reason to ignore": lambda n, l: f"import torch\n# migrator: ignore-file {'k' * l}\n" + repeated(n, "x.cuda()\n"),
    "many names, many uses": lambda n, l: "import torch\n" + repeated(l // 20, "d@ = 'cuda'\n") + repeated(n, "x.to(d@)\n"),
    "one name assigned often, used often": lambda n, l: "import torch\n" + repeated(l // 20, "d = 'cuda:@'\n") + "def f():\n" + repeated(n, "    x.to(d)\n"),
    "a long list of devices": lambda n, l: "import torch\nd = [" + "'cuda', " * (l // 80) + "]\n" + repeated(n // 4, "x.to(d[0])\nfor e in d: x.to(e)\n"),
    "a long dictionary": lambda n, l: "import torch\nd = {" + repeated(l // 16, "'a@': 'cuda', ") + "}\n" + repeated(n, "x.to(d['a@'])\nf(**d)\n"),
    "deep and wide": lambda n, l: "import torch\nx = " + "[" * (l // 4) + repeated(n, "y.to('cuda'), ") + "]" * (l // 4) + "\n",
    "a deep call": lambda n, l: "import torch\nx = " + "f(" * (l // 4) + repeated(n, "y.cuda(), ") + ")" * (l // 4) + "\n",
    "a function of many lines, called often": lambda n, l: "import torch\ndef f(d):\n" + "    d = d\n" * (l // 10) + "    return d\n" + repeated(n, "x.to(f('cuda'))\n"),
    "options with a long default": lambda n, l: f"import argparse, torch\np = argparse.ArgumentParser()\nd = '{'k' * l}'\n" + repeated(n, "p.add_argument('--d@', default=d)\nx.to(p.d@)\n"),
    "a long environment": lambda n, l: f"import os, torch\nk = '{'K' * l}'\n" + repeated(n, "os.environ[k] = 'cuda'\nx.to(os.environ[k])\n"),
    "decorators": lambda n, l: f"import torch\nimport {'k' * l} as z\n" + repeated(n, "@z.d\ndef f@(): x.cuda()\n"),
    "a training loop": lambda n, l: "import torch\nmodel = torch.nn.Linear(1, 1).cuda()\nopt = torch.optim.Adam(model.parameters())\nfor x in data:\n"
        + "    " + "a" * l + " = 1\n" + repeated(n, "    loss = model(x.cuda())\n") + "    loss.backward()\n    opt.step()\n",
}
YAML = {
    "a list below a long key": lambda n, l: "k" * l + ":\n" + "  - cuda\n" * n,
    "keys below a long key": lambda n, l: "k" * l + ":\n" + repeated(n, "  a@: cuda\n"),
    "keys below a long key of a device": lambda n, l: "device" + "k" * l + ":\n" + repeated(n, "  device: cuda:@\n"),
    "a flow below a long key": lambda n, l: "k" * l + ": [" + "cuda, " * n + "]\n",
    "a block below a long key": lambda n, l: "k" * l + ": |\n" + "  python t.py --device cuda\n" * n,
    "commands below a long key": lambda n, l: "k" * l + ":\n" + "  - python t.py --device cuda\n" * n,
    "aliases of a long text": lambda n, l: f"a: &a cuda{'k' * l}\n" + repeated(n, "device@: *a\n"),
    "aliases of a long name": lambda n, l: f"a: &{'k' * l} cuda\n" + repeated(n, "device@: *a\n"),
    "aliases of a list": lambda n, l: "a: &a [" + "cuda, " * (l // 6) + "]\n" + repeated(n, "device@: *a\n"),
    "anchors and aliases": lambda n, l: repeated(l // 12, "k@: &a@ cuda\n") + repeated(n, "device@: *a@\n"),
    "deep and wide": lambda n, l: "{a: " * (l // 4) + "{" + repeated(n, "device: cuda, ") + "}" * (l // 4) + "\n",
    "lists in lists": lambda n, l: "- " * (l // 2) + "cuda\n" + ("  " + "- cuda\n") * n,
    "a long element": lambda n, l: "a:\n  - " + "k" * l + "\n" + "  - --device\n  - cuda\n" * n,
    "services": lambda n, l: "services:\n  " + "k" * l + ":\n    environment:\n" + repeated(n, "      CUDA_VISIBLE_DEVICES: 0\n"),
    "a long target": lambda n, l: f"_target_: {'k' * l}\n" + repeated(n, "d@:\n  _target_: torch.cuda.f\n  device: cuda\n"),
}
TOML = {
    "keys of a long table": lambda n, l: f"[{'k' * l}]\n" + repeated(n, "device@ = 'cuda'\n"),
    "a long table and an array": lambda n, l: f"[{'k' * l}]\ndevice = [" + "'cuda', " * n + "]\n",
    "parts of a long table": lambda n, l: f"[{'.'.join(['ab'] * (l // 3))}]\n" + repeated(n, "device@ = 'cuda'\n"),
    "inline tables": lambda n, l: "a" * l + " = {" + repeated(n, "device@ = 'cuda', ") + "b = 1}\n",
    "a long text": lambda n, l: f"a = '''{'k' * l}'''\n" + repeated(n, "device@ = 'cuda'\n"),
}
INI = {"keys of a long section": lambda n, l: f"[{'k' * l}]\n" + repeated(n, "device = cuda\n"),
       "a long value": lambda n, l: f"[a]\nb = {'k' * l}\n" + repeated(n, "device = %(b)s cuda\n")}
JSON = {
    "a list below a long key": lambda n, l: '{"' + "k" * l + '": [' + '"cuda", ' * n + "1]}",
    "keys below a long key": lambda n, l: '{"' + "k" * l + '": {' + '"device": "cuda", ' * n + '"a": 1}}',
    "deep and wide": lambda n, l: '{"a": ' * (l // 6) + "[" + '{"device": "cuda"}, ' * n + "1]" + "}" * (l // 6),
    "lists in lists": lambda n, l: "[" * (l // 2) + '"cuda", ' * n + "1" + "]" * (l // 2),
}
SHELL = {
    "a long variable": lambda n, l: f"A={'k' * l}\n" + "python t.py --device $A\n" * n,
    "a long name": lambda n, l: f"{'A' * l}=cuda\n" + "python t.py --device cuda\n" * n,
    "an array": lambda n, l: "A=(" + "--device cuda " * (l // 14) + ")\n" + 'python t.py "${A[@]}"\n' * n,
    "a text of words": lambda n, l: 'A="' + "--device cuda " * (l // 14) + '"\n' + "python t.py $A\n" * n,
    "a long function": lambda n, l: "k" * l + "() {\n" + "  python t.py --device cuda\n" * n + "}\n",
    "a long line": lambda n, l: "echo " + "k" * l + "; " + "python t.py --device cuda; " * n + "\n",
    "a long program": lambda n, l: "python -c '" + "#" + "k" * l + "'\n" + "python -c 'import torch; torch.cuda.init()'\n" * n,
    "a document": lambda n, l: "cat <<" + "E" * l + "\n" + "python t.py --device cuda\n" * n + "E" * l + "\n",
    "documents": lambda n, l: "python - <<A " * n + "\n" + "import torch\ntorch.cuda.init()\n" * (l // 30) + "A\n",
    "deep and wide": lambda n, l: "$(" * (l // 2) + "nvidia-smi; " * n + ")" * (l // 2) + "\n",
    "appended": lambda n, l: f"A={'k' * l}\n" + 'A="$A --device cuda"\n' * n + "python t.py $A\n",
    "variables of variables": lambda n, l: "A0=cuda\n" + "".join(f"A{i + 1}=$A{i}\n" for i in range(l // 16)) + f"python t.py --device $A{l // 16}\n" * n,
}
DOCKER = {
    "a long argument": lambda n, l: f"FROM a\nARG A={'k' * l}\n" + "RUN python t.py --device $A\n" * n,
    "a long environment": lambda n, l: f"FROM a\nENV A={'k' * l}\n" + "ENV CUDA_VISIBLE_DEVICES=$A\n" * n,
    "a long line": lambda n, l: "FROM a\nRUN echo " + "k" * l + " \\\n" + " && pip install apex \\\n" * n + "\n",
    "a long image": lambda n, l: f"FROM nvidia/cuda:{'k' * l} AS a\n" + "FROM a\nRUN nvidia-smi\n" * n,
}
REQUIREMENTS = {
    "a long line": lambda n, l: "# " + "k" * l + "\n" + "apex==1.0\n" * n,
    "a long index": lambda n, l: f"--index-url https://{'k' * l}\n" + repeated(n, "cupy-cuda11x==@.0\n"),
    "many packages": lambda n, l: repeated(l // 20, "package-@==1.0\n") + "apex; python_version > '3'\n" * n,
}
CUDA = {
    "a long namespace": lambda n, l: f"namespace {'k' * l} {{\n" + repeated(n, "__global__ void f@(int x) {}\n") + "}\n",
    "a long macro": lambda n, l: f'#define A "{"k" * l}"\nTORCH_LIBRARY(a, m) {{\n' + "m.def(A, f);\n" * n + "}\n",
    "a long library": lambda n, l: f"TORCH_LIBRARY({'k' * l}, m) {{\n" + repeated(n, 'm.def("f@(Tensor x) -> Tensor");\n') + "}\n",
    "a long module": lambda n, l: f"PYBIND11_MODULE({'k' * l}, m) {{\n" + repeated(n, 'm.def("f@", &f@);\n') + "}\n",
    "a long line": lambda n, l: f"/* {'k' * l} */ " + repeated(n, "cudaMalloc(&a, 1); f@<<<1, 2>>>(a); "),
    "macros of macros": lambda n, l: '#define A0 "f"\n' + "".join(f"#define A{i + 1} A{i}\n" for i in range(l // 16)) + "TORCH_LIBRARY(a, m) {\n" + f"m.def(A{l // 16}, f);\n" * n + "}\n",
    "deep and wide": lambda n, l: "{" * (l // 2) + repeated(n, "f@<<<1, 2>>>(a); ") + "}" * (l // 2),
}
MAKE = {"a long variable": lambda n, l: f"A = {'k' * l}\nt:\n" + "\tpython t.py --device $(A)\n" * n,
        "a long target": lambda n, l: f"{'k' * l}:\n" + "\tpython t.py --device cuda\n" * n}
CMAKE = {"a long variable": lambda n, l: f"set(A {'k' * l})\n" + "set(CMAKE_CUDA_ARCHITECTURES ${A})\n" * n,
         "a long function": lambda n, l: f"function({'k' * l})\n" + "  enable_language(CUDA)\n" * n + "endfunction()\n"}
for _file, _table in (("p/t.py", PYTHON), ("p/t.yaml", YAML), ("p/t.toml", TOML), ("p/t.ini", INI), ("p/t.json", JSON), ("p/t.sh", SHELL), ("p/Dockerfile", DOCKER),
                      ("p/requirements.txt", REQUIREMENTS), ("p/t.cu", CUDA), ("p/Makefile", MAKE), ("p/CMakeLists.txt", CMAKE)):
    text_shapes(_file, _table, [[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=1000 if _file == "p/t.yaml" else 500)


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE])
def a_notebook(folder, n, length):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [text]}
             for text in ["import torch\n", f"import {'k' * length} as z\n", *["z.f(torch.device('cuda'))\n"] * n, "x = [" + "y.cuda(), " * n + f"'{'k' * length}']\n"]]
    (folder / "p").mkdir()
    (folder / "p/t.ipynb").write_text(json.dumps({"cells": cells, "metadata": {"k" * length: 1}, "nbformat": 4, "nbformat_minor": 5}))


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=100, length=3000)
def files_that_import_many_names(folder, n, length):
    (folder / "p").mkdir()
    (folder / "p/names.py").write_text("import torch\n" + repeated(length // 16, "d@ = 'cuda'\n"))
    for i in range(n):
        (folder / f"p/t{i}.py").write_text(f"from names import *\nimport names\nx.to(d{i})\nx.to(names.d{i})\n")


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=100)
def files_that_import_a_long_name(folder, n, length):
    (folder / "p").mkdir()
    (folder / "p/names.py").write_text(f"import torch\nd = 'cuda:{'k' * length}'\ndef f(d=d): return d\n")
    for i in range(n):
        (folder / f"p/t{i}.py").write_text("import names\nx.to(names.d)\nx.to(names.f())\n")


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=100, length=3000)
def packages_that_pass_names_on(folder, n, length):
    (folder / "p").mkdir()
    (folder / "p/m0.py").write_text("import torch\n" + repeated(length // 16, "d@ = 'cuda'\n"))
    for i in range(n):
        (folder / f"p/m{i + 1}.py").write_text(f"from m{i} import *\n")
    (folder / "p/t.py").write_text(f"import torch\nfrom m{n} import *\n" + repeated(length // 16, "x.to(d@)\n"))


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=3600)
def files_with_the_names_of_each_other(folder, n, length):
    (folder / "p").mkdir()
    files = math.isqrt(n)
    for i in range(files):
        (folder / f"p/m{i}.py").write_text("import torch\n" + "".join(f"from m{k} import *\n" for k in range(files) if k != i) + f"d{i} = 'cuda'\n"
                                           + "".join(f"x.to(d{k})\nf(u{k})\n" for k in range(files)))


@shape([[*words[:2], "{}/p", *words[3:]] for words in ANALYZE], n=100)
def patterns_and_files(folder, n, length):
    (folder / "p").mkdir()
    (folder / "p/.gitignore").write_text(repeated(length // 8, "a@*.py\n"))
    for i in range(n):
        (folder / f"p/t{i}.py").write_text("x.cuda()\n")


# ---- profiles ----

PROFILE = [["migrator", "compare", "{}/a", "{}/a", "-o", "{out}", "--format", "html,json,csv,xlsx", "--by-shape"], ["migrator", "compare", "{}/a", "{}/a"],
           ["migrator", "compare", "{}/a", "{}/a", "--compat", "msprof", "-o", "{out}"], ["migrator", "profile", "{}/a", "-o", "{out}"]]
CLUSTER = [["migrator", "profile", "{}/a", "-o", "{out}"]]


def event(category, name, begin, length, thread=1, process=1, **args):
    return {"ph": "X", "cat": category, "name": name, "ts": begin, "dur": length, "pid": process, "tid": thread, "args": args}


def gpu_kernel(i, name="gemm", begin=None, stream=7):
    begin = i * 10 if begin is None else begin
    return [event("cuda_runtime", "cudaLaunchKernel", begin, 1, correlation=i, **{"External id": i}),
            event("kernel", name, begin + 1, 4, stream, 0, stream=stream, correlation=i)]


def operator(i, name="aten::add", begin=None, length=5, **args):
    return event("cpu_op", name, i * 10 if begin is None else begin, length, **{"Input Dims": [[2, 2]], "Input type": ["float"], "External id": i, **args})


GPU = {
    "modules in each other": lambda n, l: [one for i in range(n) for one in (operator(i), event("python_function", f"nn.Module: M_{i}", i, 20 * n - 2 * i), *gpu_kernel(i))],
    "modules in a long one": lambda n, l: [event("python_function", f"nn.Module: {'M' * l}_0", 0, 20 * n), *(one for i in range(n) for one in (
        operator(i), event("python_function", f"nn.Module: A_{i}", i * 10, 8), *gpu_kernel(i, begin=i * 10 + 1)))],
    "modules below modules": lambda n, l: [*(event("python_function", f"nn.Module: M_{i}", 0, 30 * n - i / 100) for i in range(l // 160)), *(
        one for i in range(n) for one in (operator(i), event("python_function", f"nn.Module: A_{i}", i * 10 + 5, 8), *gpu_kernel(i, begin=i * 10 + 6)))],
    "frames in each other": lambda n, l: [*(event("python_function", f"a.py({i}): f", i / 100, 30 * n - i / 50) for i in range(l // 60)), *(
        one for i in range(n) for one in (operator(i), event("python_function", f"nn.Module: A_{i}", i * 10 + 5, 8), *gpu_kernel(i, begin=i * 10 + 6)))],
    "operators in each other": lambda n, l: [*(operator(i, f"aten::a{i % 7}", i / 100, 30 * n - i / 50) for i in range(l // 160)), *(
        one for i in range(n) for one in (operator(i), *gpu_kernel(i)))],
    "operators in each other alone": lambda n, l: [one for i in range(n) for one in (operator(i, f"aten::a{i % 7}", i, 20 * n - 2 * i), *gpu_kernel(i))],
    "a long process": lambda n, l: [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "p" * l}}, *(one for i in range(n) for one in (operator(i), *gpu_kernel(i)))],
    "a long operator": lambda n, l: [operator(0, "a" * l, 0, 20 * n), *(one for i in range(n) for one in (operator(i, begin=i * 10 + 1), *gpu_kernel(i, begin=i * 10 + 2)))],
    "a long kernel": lambda n, l: [*gpu_kernel(n, "k" * l, 1), *(one for i in range(n) for one in (operator(i), *gpu_kernel(i)))],
    "long shapes": lambda n, l: [operator(0, "a", 0, 20 * n, **{"Input Dims": [[1] * (l // 3)], "Call stack": "s" * l}), *(one for i in range(n) for one in (operator(i, begin=i * 10 + 1), *gpu_kernel(i, begin=i * 10 + 2)))],
    "steps and kernels": lambda n, l: [*(event("cpu_op", f"ProfilerStep#{i}", i * 5, 5) for i in range(l // 160)), *(one for i in range(n) for one in (operator(i, f"aten::a{i}"), *gpu_kernel(i, f"k{i}")))],
    "streams": lambda n, l: [one for i in range(n) for one in (operator(i), *gpu_kernel(i, f"k{i % 99}", stream=i % (l // 160)))],
    "kernels of one launch": lambda n, l: [operator(0), *(event("cuda_runtime", "cudaLaunchKernel", i, 1, correlation=1) for i in range(l // 160)), *(event("kernel", "k", i * 9, 4, 7, 0, stream=7, correlation=1) for i in range(n))],
    "collectives and kernels": lambda n, l: [*(event("kernel", f"ncclKernel{i}", i * 10, 30 * n, 8, 0, stream=8, correlation=n + i) for i in range(l // 160)), *(one for i in range(n) for one in (operator(i), *gpu_kernel(i)))],
    "allocations": lambda n, l: [*(one for i in range(n) for one in (operator(i), *gpu_kernel(i))), *({"ph": "i", "name": "[memory]", "ts": i, "pid": 1, "tid": 1, "args": {
        "Bytes": 64 if i % 2 else -64, "Addr": i // 2 % 9, "Total Reserved": i, "Device Id": 0, "Device Type": 1}} for i in range(l // 100))],
    "arrows of one operator": lambda n, l: [operator(0, begin=0, length=30 * n), *({"ph": ph, "cat": "fwdbwd", "name": "fwdbwd", "id": i, "pid": 1, "tid": 1, "ts": 1} for i in range(n) for ph in "sf"), *(
        one for i in range(l // 300) for one in (operator(i, begin=1, length=5), event("python_function", f"nn.Module: A_{i}", 0, 30 * n), *gpu_kernel(i)))],
}
for _name, _events in GPU.items():
    def _make(folder, n, length, events=_events):
        text = json.dumps({"traceEvents": events(n, length), "deviceProperties": [{"id": 0, "name": "A100"}]})
        (folder / "a").write_text(text)
    SHAPES.append((f"trace of a GPU: {_name}", _make, PROFILE, {"n": 250}))
    SHAPES.append((f"operators of a trace: {_name}", _make, [["migrator", "ops", "{}/a"]], {"n": 250}))


def database(name, fill, **sizes):
    def make(folder, n, length):
        base = MadeDatabase(folder / "a")
        fill(base, n, length)
        base.db.commit()
        base.db.close()
    SHAPES.append((f"database: {name}", make, PROFILE, {"n": 250, **sizes}))


def frames(base, n, length):
    base.texts((100, "f" * length))
    base.add("PYTORCH_CALLCHAINS", *((7, 100, i) for i in range(n)))
    base.operators(n, stack=7)
    base.kernels(n)


def stacks(base, n, length):
    base.texts((100, "f" * length))
    base.add("PYTORCH_CALLCHAINS", *((i, 100, 0) for i in range(n)))
    base.add("PYTORCH_API", *((str(1000 + i * 1000), str(1500 + i * 1000), 1, i, 0, None, None, None, None, i, 50001) for i in range(n)))
    base.kernels(n)


def computed(base, n, length):
    base.db.executescript(f"DROP TABLE STRING_IDS; CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT AS (printf('%.*c', {length * 10}, 'x') || id));")
    base.db.executemany("INSERT INTO STRING_IDS (id) VALUES (?)", ((i,) for i in range(n // 50)))
    base.operators(n // 50)
    base.kernels(n)


def with_text(**roles):
    """Rows whose names are one long text: roles by function of MadeDatabase."""
    def fill(base, n, length):
        base.texts((100, "x" * length))
        for role, names in {"operators": {}, "kernels": {}, **roles}.items():
            getattr(base, role)(n, **names)
    return fill


long_group = {"group": lambda i: 100}
for _name, _fill in {
        "shapes": with_text(operators={"shapes": 100, "types": 100}), "names": with_text(operators={"name": 100}), "frames of Python": with_text(operators={"name": 100, "kind": 50003}),
        "tasks of a queue": with_text(operators={"name": 100, "kind": 50002}), "kernels": with_text(kernels={"name": 100}), "kinds of kernels": with_text(kernels={"operator": 100}),
        "shapes of kernels": with_text(kernels={"shapes": 100, "types": 100}), "types of tasks": with_text(kernels={"kind": 100}), "collectives": with_text(collectives={"name": 100, "kind": 100}),
        "kinds of collectives": with_text(collectives={"kind": 100}), "a group": with_text(collectives=long_group, waits=long_group),
        "planes of a group": with_text(collectives=long_group, waits={**long_group, "plane": lambda i: i}), "waits": with_text(collectives={}, waits={"kind": 100})}.items():
    database(f"{_name} of one long text", _fill)
database("groups", lambda base, n, length: (base.texts(*((1000 + i, f"group{i}") for i in range(n))), base.kernels(3), base.collectives(n, group=lambda i: 1000 + i)), n=400)
database("groups and collectives", lambda base, n, length: (base.texts(*((1000 + i, f"group{i}") for i in range(n))), base.kernels(3), base.collectives(
    length // 40, group=lambda i: 1000 + i % n), base.waits(length // 40, group=lambda i: 1000 + i % n, plane=lambda i: i % 8)), n=200)
database("planes", lambda base, n, length: (base.kernels(n), base.collectives(n), base.waits(n, plane=lambda i: i)))
database("connections", lambda base, n, length: (base.operators(n), base.kernels(n), base.db.execute("UPDATE PYTORCH_API SET connectionId = 1"), base.db.execute("UPDATE CONNECTION_IDS SET id = 1")))
database("tasks of one number", lambda base, n, length: (base.kernels(n), base.collectives(n), base.waits(n), base.db.execute("UPDATE COMMUNICATION_TASK_INFO SET globalTaskId = 1"), base.db.execute(
    "UPDATE TASK SET globalTaskId = 1")))
database("a stack of one long frame", frames)
database("stacks of one long frame", stacks)
database("computed texts", computed)
database("names of the runtime", lambda base, n, length: (base.texts((100, "x" * length)), base.kernels(n), base.add("CANN_API", *((1100 + i * 1000, 1200 + i * 1000, 5000, 1, i, 100) for i in range(n)))))
database("allocations", lambda base, n, length: (base.texts((100, "x" * length)), base.kernels(n), base.operators(n), base.add("OP_MEMORY", *((100, 64, 1100 + i * 1000, 9999 + i * 1000, 1) for i in range(n)))))
database("units", lambda base, n, length: (base.texts((100, "x" * length)), base.kernels(n), base.add("TASK_PMU_INFO", *((i, 100, 1) for i in range(n)))))


def rank_folder(folder, rank):
    output = folder / f"a/rank{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output.parent / f"profiler_info_{rank}.json").write_text("{}")
    (output / "step_trace_time.csv").write_text("Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble\n0,1,9,1,0,1,1,11,0\n")
    return output


@shape(CLUSTER, n=20, length=3000)
def ranks_and_collectives(folder, n, length):
    names = [f"hcom_allReduce__{i}@group" for i in range(length // 40)]
    for rank in range(n):
        output = rank_folder(folder, rank)
        text = {"step1": {"p2p": {}, "collective": {names[rank % len(names)]: {"Communication Time Info": {"Start Timestamp(us)": 1, "Elapse Time(ms)": 1}, "Communication Bandwidth Info": {}}}}}
        if rank == 0:
            text["step1"]["collective"] = {name: next(iter(text["step1"]["collective"].values())) for name in names}
        (output / "communication.json").write_text(json.dumps(text))


@shape(CLUSTER, n=20)
def ranks_and_groups(folder, n, length):
    for rank in range(n):
        output = rank_folder(folder, rank)
        ranks = list(range(length // 6)) if rank == 0 else [0, rank]
        groups = {str(i): {"group_name": f"g{i}", "group_rank": 0, "global_ranks": ranks if i == 0 else [0, rank]} for i in range(20)}
        (output.parent / "profiler_metadata.json").write_text(json.dumps({"parallel_group_info": groups}))


@shape(CLUSTER, n=1000)
def kernels_of_a_table(folder, n, length):
    output = rank_folder(folder, 0)
    (output / "trace_view.json").write_text("[]")
    (output / "kernel_details.csv").write_text("Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)," + "c" * length + "\n" + f"1,{'k' * length},{'t' * length},AI_CORE,1,1,\n"
                                               + repeated(n, "1,k@,t,AI_CORE,1@,1,\n"))


# ---- operators ----

OPS = [["migrator", "ops", "{}/a", "--report", "{out}"]]
text_shapes("a", {"a list of operators": lambda n, l: f"aten::{'k' * l} float32 3\n" + repeated(n, "aten::lgamma float@ 1\n"),
                  "a list with types": lambda n, l: repeated(l // 16, "aten::k@ float32\n") + repeated(n, "aten::lgamma float@ 1\n"),
                  "a log": lambda n, l: "k" * l + "\n" + repeated(n, "W The operator 'aten::lgamma.out@' is not currently supported on the NPU backend and will fall back to run on the CPU\n"),
                  "a log on one line": lambda n, l: "k" * l + repeated(n, "W The operator 'aten::lgamma.out@' is not currently supported on the NPU backend and will fall back to run on the CPU "),
                  "counts": lambda n, l: '{"' + "k" * l + '": {' + repeated(n, '"add.T@": 2, ') + '"b": 1}}'}, OPS)


# ---- checkpoints ----

INSPECT = [["ckpt_convert", "inspect", "{}/x.pt"], ["ckpt_convert", "inspect", "{}/x.pt", "--json"]]
HEAD = b"\x80\x02" + TENSOR + b"q\x07" + b"0"      # the tensor is number 7 of the memo
PICKLES = {
    "a list in itself": lambda n, l: b"\x80\x02]q\x00(" + b"h\x00" * (n * 4) + b"e.",
    "a list that is named often": lambda n, l: b"\x80\x02](]q\x00(" + b"K\x01" * l + b"e" + b"h\x00" * n + b"e.",
    "a dictionary that is named often": lambda n, l: HEAD + b"](}q\x00(" + b"".join(number(i) + b"h\x07" for i in range(l // 8)) + b"u" + b"h\x00" * n + b"e.",
    "a tuple that is named often": lambda n, l: b"\x80\x02](((" + b"K\x01" * l + b"tq\x00t" + b"h\x00" * n + b"e.",
    "a text that is named often": lambda n, l: b"\x80\x02](" + text("k" * l) + b"q\x00" + b"h\x00" * n + b"e.",
    "numbers below a long key": lambda n, l: HEAD + b"}" + text("k" * l) + b"}(" + b"".join(number(i) + b"K\x01" for i in range(n)) + b"us.",
    "tensors below a long key": lambda n, l: HEAD + b"}" + text("k" * l) + b"}(" + b"".join(number(i) + b"h\x07" for i in range(n)) + b"us.",
    "tensors below long keys": lambda n, l: HEAD + (b"}" + text("k" * (l // 30))) * 30 + b"}(" + b"".join(number(i) + b"h\x07" for i in range(n)) + b"u" + b"s" * 30 + b".",
    "one long key, in many dictionaries": lambda n, l: HEAD + text("k" * l) + b"q\x000](" + b"}h\x00h\x07s" * n + b"e.",
    "one long key, in dictionaries of numbers": lambda n, l: HEAD + text("k" * l) + b"q\x000](" + b"}h\x00K\x01s" * n + b"e.",
    "one dictionary below many keys": lambda n, l: HEAD + b"}q\x00(" + b"".join(number(i) + b"h\x07" for i in range(l // 8)) + b"u0}(" + b"".join(number(i) + b"h\x00" for i in range(n)) + b"u.",
    "a shape that is named often": lambda n, l: HEAD + b"(" + b"K\x01" * l + b"tq\x000](" + TENSOR.replace(b"))\x89", b"h\x00h\x00\x89", 1) * (n // 10) + b"e.",
    "a state that is named often": lambda n, l: HEAD + b"}(" + b"".join(number(i) + b"K\x01" for i in range(l // 8)) + b"uq\x000](" + b"cargparse\nNamespace\n)Rh\x00b" * n + b"e.",
    "arguments of a run": lambda n, l: HEAD + b"}(" + text("args") + b"cargparse\nNamespace\n)R}(" + text("k" * l) + text("v" * l) + b"".join(text(f"a{i}") + b"K\x01" for i in range(n)) + b"ub"
        + text("model") + b"}" + text("a.weight") + b"h\x07su.",
    "a name that is looked up often": lambda n, l: HEAD + b"](" + b"c" + b"torch\n" + b"FloatStorage\n" + b"q\x00" + b"h\x00" * n + b"e.",
    "a long storage": lambda n, l: b"\x80\x02" + b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("k" * l) + text("cpu") + b"K\x01tq\x000](" + b"h\x00Q" * n + b"e.",
}
for _name, _body in PICKLES.items():
    def _make(folder, n, length, body=_body):
        torch_file(folder / "x.pt", body(n, length))
    SHAPES.append((f"pickle: {_name}", _make, INSPECT, {}))


def flat_state(names):
    return HEAD + b"}(" + b"".join(text(name) + b"h\x07" for name in names) + b"u."


def safetensors(path, header):
    body = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(body)) + body + b"\0" * 8)


def entry(dims=(1,)):
    return {"dtype": "F32", "shape": list(dims), "data_offsets": [0, 4]}


CONFIG = json.loads((ROOT / "rules/models/cases/llama2.json").read_text())["config"]
HF = [["ckpt_convert", "inspect", "{}/hf"], ["ckpt_convert", "inspect", "{}/hf", "--layers"], ["ckpt_convert", "verify", "{}/hf"], ["ckpt_convert", "{}/hf", "{out}"]]
TENSORS = {
    "a long name": lambda n, l: {"a" * l: 0, **{f"a{i}": 0 for i in range(n)}},
    "a name of many parts": lambda n, l: {".".join(["a"] * (l // 2)): 0, **{f"a.{i}": 0 for i in range(n)}},
    "many numbers": lambda n, l: {f"a.{i}.b": 0 for i in range(n)},
    "layers": lambda n, l: {f"model.layers.{i}.self_attn.q_proj.weight": 0 for i in range(n)},
    "layers with a long name": lambda n, l: {f"model.layers.0.{'a' * l}": 0, **{f"model.layers.{i}.self_attn.q_proj.weight": 0 for i in range(n)}},
    "experts": lambda n, l: {f"model.layers.{i % 3}.mlp.experts.{i}.up_proj.weight": 0 for i in range(n)},
}
for _name, _names in TENSORS.items():
    def _make(folder, n, length, names=_names):
        (folder / "hf").mkdir()
        (folder / "hf/config.json").write_text(json.dumps({**CONFIG, "k" * length: "v" * length}))
        header = {"__metadata__": {"k" * length: "v" * length}}
        for i, name in enumerate(names(n, length)):
            header[name] = {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]}
        body = json.dumps(header).encode()
        (folder / "hf/model.safetensors").write_bytes(struct.pack("<Q", len(body)) + body + bytes(4 * len(header)))
    SHAPES.append((f"safetensors: {_name}", _make, HF, {}))


@shape(HF, n=1000)
def an_index_of_one_long_file(folder, n, length):
    (folder / "hf").mkdir()
    (folder / "hf/config.json").write_text(json.dumps(CONFIG))
    long = "m" * length + ".safetensors"
    (folder / "hf/model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": {f"a{i}": long if i == 0 else "model.safetensors" for i in range(n)}}))


@shape([["ckpt_convert", "inspect", "{}/dcp"], ["ckpt_convert", "inspect", "{}/dcp", "--json"]])
def metadata_of_shards(folder, n, length):
    (folder / "dcp").mkdir()
    (folder / "dcp/__0_0.distcp").write_bytes(b"\0" * 64)
    metadata = {"state_dict_metadata": {"k" * length: 1, **{f"a{i}": i for i in range(n)}}, "planner_data": {"k" * length: ["k" * length] * n}, "storage_data": {}}
    (folder / "dcp/.metadata").write_bytes(pickle.dumps(metadata, 2))


@shape([["ckpt_convert", "inspect", "{}/mcore"]], n=200, length=3000)
def ranks_and_tensors(folder, n, length):
    (folder / "mcore/iter_0000001").mkdir(parents=True)
    (folder / "mcore/latest_checkpointed_iteration.txt").write_text("1")
    for rank in range(n):
        path = folder / f"mcore/iter_0000001/mp_rank_{rank:02}/model_optim_rng.pt"
        path.parent.mkdir()
        names = [f"decoder.layers.{i}.self_attention.linear_proj.weight" for i in range(length // 60)] if rank == 0 else ["a"]
        torch_file(path, HEAD + b"}(" + text("model") + flat_state(names)[len(HEAD):-1] + b"u.")


# ---- scripts ----

CHECK = [["ckpt_convert", "launch", "--check", "{}/t.sh", "--model", "{}/hf"]]
SCRIPTS = {
    "an array": lambda n, l: "A=(" + "--num-layers 2 " * (l // 15) + ")\n" + 'torchrun pretrain_gpt.py "${A[@]}"\n' * n,
    "arrays of arrays": lambda n, l: "A=(" + "--num-layers 2 " * (l // 15) + ")\n" + 'A=("${A[@]}" --bf16)\n' * n + 'torchrun pretrain_gpt.py "${A[@]}"\n',
    "a text": lambda n, l: 'A="' + "--num-layers 2 " * (l // 15) + '"\n' + "torchrun pretrain_gpt.py $A\n" * n,
    "a text of itself": lambda n, l: f"A={'k' * l}\n" + 'A="$A --bf16"\n' * n + "torchrun pretrain_gpt.py $A\n",
    "a text in options": lambda n, l: f"A={'k' * l}\ntorchrun pretrain_gpt.py " + repeated(n, "--a@ $A ") + "\n",
    "a text in a text": lambda n, l: f"A={'k' * l}\n" + repeated(n, "B@=$A\n") + "torchrun pretrain_gpt.py --load $B1\n",
    "variables of variables": lambda n, l: "A0=2\n" + "".join(f"A{i + 1}=$A{i}\n" for i in range(l // 16)) + f"torchrun pretrain_gpt.py --num-layers $A{l // 16}\n" * n,
    "sums": lambda n, l: "A=$((" + "1+" * l + "1))\n" + "B=$((A+1))\n" * n + "torchrun pretrain_gpt.py --num-layers $B\n",
    "a long path": lambda n, l: f"A=/{'k' * l}\n" + "torchrun pretrain_gpt.py --load $A --save $A/b\n" * n,
    "doubled texts": lambda n, l: f"A={'k' * (l // 100)}\n" + "A=$A$A\n" * min(n // 20, 60) + "torchrun pretrain_gpt.py --load $A\n",
}
for _name, _script in SCRIPTS.items():
    def _make(folder, n, length, script=_script):
        (folder / "hf").mkdir()
        (folder / "hf/config.json").write_text(json.dumps(CONFIG))
        (folder / "t.sh").write_text(script(n, length))
    SHAPES.append((f"script of a training: {_name}", _make, CHECK, {}))
for _name, _config in {"a long value": lambda n, l: {"k" * l: "v" * l, **{f"a{i}": i for i in range(n)}}, "layers": lambda n, l: {"layer_types": ["full_attention"] * n, "k" * l: [1] * l},
                       "deep and wide": lambda n, l: {"text_config": {"k" * l: {f"a{i}": i for i in range(n)}}}}.items():
    def _make(folder, n, length, config=_config):
        (folder / "hf").mkdir()
        (folder / "hf/config.json").write_text(json.dumps({**CONFIG, **config(n, length)}))
    SHAPES.append((f"config.json: {_name}", _make, [["ckpt_convert", "launch", "{}/hf", "{out}", "--devices", "2"], ["ckpt_convert", "plan", "{}/hf", "--tp", "2"]], {}))


@shape([["ckpt_convert", "launch", "--check", "{}/t.yaml", "--model", "{}/hf"]])
def yaml_of_a_training(folder, n, length):
    (folder / "hf").mkdir()
    (folder / "hf/config.json").write_text(json.dumps(CONFIG))
    (folder / "t.yaml").write_text(f"parallel:\n  {'k' * length}:\n" + repeated(n, "    a@: 1\n") + f"  b: &b {'v' * length}\n" + repeated(n, "  c@: *b\n"))


# ---- cost ----

def cost(command, folder):
    """Seconds of the processor, MiB and the exit code of a run; its output is thrown away."""
    out = folder / "out"
    words = [word.replace("{out}", str(out)).replace("{}", str(folder)) for word in command[1:]]

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with subprocess.Popen([tool(command[0]), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limits) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    shutil.rmtree(out, ignore_errors=True)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, program.returncode


class Measure:
    def __init__(self, work, longer, show):
        self.work, self.show = work, show
        self.steps = [(STEP, STEP * STEP), (1, STEP)] if longer else [(1, STEP)]
        (work / "empty.txt").write_text("aten::add\n")
        self.start = min(cost(["migrator", "ops", "{}/empty.txt"], work)[:2] for _ in range(3))

    def grows(self, name, make, command, sizes):
        """None where the cost is in proportion; else what was measured."""
        number, least, code = f"{name} {command}", {}, {}
        folders = {}

        def run(factor):
            if factor not in folders:
                folders[factor] = self.work / f"{abs(hash(number))}_{factor}"
                folders[factor].mkdir()
                make(folders[factor], sizes.get("n", 500) * factor, sizes.get("length", 20_000) * factor)
            seconds, mebibytes, code[factor] = cost(command, folders[factor])
            before = least.get(factor, (math.inf, math.inf))
            least[factor] = (min(before[0], max(0, seconds - self.start[0])), min(before[1], max(0, mebibytes - self.start[1])))
            return least[factor]

        def is_linear(small, large):
            for _ in range(TRIES):
                seconds, mebibytes = run(large)
                if code[large] not in USUAL_CODES or seconds > HOPELESS:
                    return False
                if seconds < LEAST_SECONDS and mebibytes < LEAST_MIB:
                    return True
                run(small)
                if seconds < RATIO * max(least[small][0], LEAST_SECONDS / RATIO) and mebibytes < RATIO * max(least[small][1], LEAST_MIB / RATIO):
                    return True
            return False
        good = all(is_linear(*step) for step in self.steps)
        shown = ", ".join(f"{seconds:.2f} s and {mebibytes:.0f} MiB at {factor} (ended with {code[factor]})" for factor, (seconds, mebibytes) in sorted(least.items()))
        shown = f"{name}: {' '.join(command)}: {shown}"
        if self.show:
            print(("    " if good else "BAD ") + shown, flush=True)
        for folder in folders.values():
            shutil.rmtree(folder)
        return None if good else shown


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true", help="all commands of all shapes, also at sixteen times the size")
    options.add_argument("--all", action="store_true", help="all shapes, each with its first command")
    options.add_argument("--only", default="", help="shapes with this in their names")
    options.add_argument("--show", action="store_true", help="what each run costs")
    args = options.parse_args()
    if sys.platform != "linux":
        skip("the cost of a program is measured as on Linux")
    checks = Checks()
    with temporary_directory() as directory, ThreadPoolExecutor(2) as pool:
        measure = Measure(Path(directory), args.long, args.show)
        whole = args.long or args.all or args.only
        jobs = [(name, make, command, sizes) for number, (name, make, commands, sizes) in enumerate(SHAPES)
                if args.only in name and (whole or name in KNOWN or number % EVERY == 0)
                for command in (commands if args.long else commands[:1])]
        checks.equal(sorted(set(KNOWN) - {name for name, *_ in SHAPES}), [], "names of shapes")
        for problem in pool.map(lambda job: measure.grows(*job), jobs):
            checks.expect(problem is None, problem)
    checks.finish()


if __name__ == "__main__":
    main()
