"""`import torch_npu` stands before the first use of what it brings: by the text, and by running the result.

Each program is migrated and run with a torch whose tensors have .npu() only once torch_npu is imported, as before PyTorch 2.5.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run_ok, temporary_directory, tool  # noqa: E402

TORCH = "class Tensor:\n    def cuda(self):\n        return self\n\n\ndef ones(*_):\n    return Tensor()\n\n\nclass cuda:\n    empty_cache = staticmethod(print)\n"
TORCH_NPU = "import torch\ntorch.Tensor.npu = lambda self: self\ntorch.npu = torch.cuda\n"
LIBRARY = "import torch\n\n\ndef build():\n    return torch.ones(2)\n"
# (before, after); `build` comes from a module that imports torch and needs nothing of torch_npu.
PROGRAMS = {
    "first": ("from mylib import build\nmodel = build().cuda()\nimport torch\nx = torch.ones(2).cuda()\n",
              "from mylib import build\nimport torch_npu\nmodel = build().npu()\nimport torch\nx = torch.ones(2).npu()\n"),
    "usual": ("import torch\nfrom mylib import build\nbuild().cuda()\n", "import torch\nimport torch_npu\nfrom mylib import build\nbuild().npu()\n"),
    "docstring": ('"""What it does."""\nfrom __future__ import annotations\nimport mylib\n\nmylib.build().cuda()\nimport torch\ntorch.ones(1)\n',
                  '"""What it does."""\nfrom __future__ import annotations\nimport mylib\nimport torch_npu\n\nmylib.build().npu()\nimport torch\ntorch.ones(1)\n'),
    "called": ("from mylib import build\n\n\ndef load():\n    return build().cuda()\n\n\nmodel = load()\nimport torch\ntorch.ones(1).cuda()\n",
               "from mylib import build\nimport torch_npu\n\n\ndef load():\n    return build().npu()\n\n\nmodel = load()\nimport torch\ntorch.ones(1).npu()\n"),
    "defined": ("from mylib import build\n\n\ndef load():\n    return build().cuda()\n\n\nimport torch\ntorch.ones(1)\nload()\n",
                "from mylib import build\n\n\ndef load():\n    return build().npu()\n\n\nimport torch\nimport torch_npu\ntorch.ones(1)\nload()\n"),
    "late": ("from mylib import build\nbuild().cuda()\nimport torch\nimport torch_npu\ntorch.ones(1)\n",
             "from mylib import build\nimport torch_npu\nbuild().npu()\nimport torch\nimport torch_npu\ntorch.ones(1)\n"),
    "tried": ("from mylib import build\nbuild().cuda()\ntry:\n    import torch\nexcept ImportError:\n    torch = None\n",
              "from mylib import build\nimport torch_npu\nbuild().npu()\ntry:\n    import torch\nexcept ImportError:\n    torch = None\n"),
    "guarded": ("from mylib import build\ntry:\n    import torch\nexcept ImportError:\n    torch = None\nbuild().cuda()\n",
                "from mylib import build\ntry:\n    import torch\n    import torch_npu\nexcept ImportError:\n    torch = None\nbuild().npu()\n"),
    "function": ("from mylib import build\n\n\ndef main():\n    build().cuda()\n    import torch\n    torch.ones(1).cuda()\n\n\nmain()\n",
                 "from mylib import build\n\n\ndef main():\n    import torch_npu\n    build().npu()\n    import torch\n    torch.ones(1).npu()\n\n\nmain()\n"),
    "signature": ("from mylib import build\n\n\ndef main(x=build().cuda()):\n    import torch\n    return torch.ones(1).cuda()\n\n\nmain()\n",
                  "from mylib import build\nimport torch_npu\n\n\ndef main(x=build().npu()):\n    import torch\n    return torch.ones(1).npu()\n\n\nmain()\n"),
    "lazy": ("from mylib import build\n\n\ndef main(x: object = None):\n    import torch\n    return build().cuda()\n\n\nmain()\n",
             "from mylib import build\n\n\ndef main(x: object = None):\n    import torch\n    import torch_npu\n    return build().npu()\n\n\nmain()\n"),
    "one_line": ("import os; os.environ['A'] = '1'\nfrom mylib import build\nbuild().cuda()\nimport torch\ntorch.ones(1)\n",
                 "import os; os.environ['A'] = '1'\nfrom mylib import build\nimport torch_npu\nbuild().npu()\nimport torch\ntorch.ones(1)\n"),
    "no_import": ("if True: from mylib import build; build().cuda()\nimport torch\n", None),
}
CELLS = (["from mylib import build\n", "model = build().cuda()"], ["import torch\n", "torch.ones(1).cuda()"])
# Nothing goes into the line of a magic or in front of it.
MAGIC = {
    "cell": ((["%%timeit -n 1 x = build().cuda()\n", "x.cuda()"], ["from mylib import build\n", "import torch\n"]),
             (["%%timeit -n 1 x = build().npu()\n", "x.npu()"], ["from mylib import build\n", "import torch\n", "import torch_npu\n"])),
    "line": ((["%time x = build().cuda()\n"], ["def f():\n", "  %time y = build().cuda()\n", "  import torch\n"], ["import torch"]),
             (["%time x = build().npu()\n"], ["def f():\n", "  %time y = build().npu()\n", "  import torch\n"], ["import torch\n", "import torch_npu"])),
    "behind": ((["from mylib import build\n", "%time x = build().cuda()\n", "import torch"],),
               (["from mylib import build\n", "import torch_npu\n", "%time x = build().npu()\n", "import torch"],)),
}


def notebook(cells):
    return json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells],
                       "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def code_of(path):
    return "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])


def main():
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        for name, text in (("torch", TORCH), ("torch_npu", TORCH_NPU)):
            (work / "stand_in").mkdir(exist_ok=True)
            (work / f"stand_in/{name}.py").write_text(text)
        (work / "in").mkdir()
        (work / "in/mylib.py").write_text(LIBRARY)
        (work / "in/cells.ipynb").write_text(notebook(CELLS))
        for name, (before, _) in PROGRAMS.items():
            (work / f"in/{name}.py").write_text(before)
        for name, (before, _) in MAGIC.items():
            (work / f"in/magic_{name}.ipynb").write_text(notebook(before))
        run_ok(checks, tool("migrator"), "migrate", work / "in", "-o", work / "out", "--apply", "review")
        (work / "out/cells.py").write_text(code_of(work / "out/cells.ipynb"))
        for name, (_, after) in MAGIC.items():
            cells = [cell["source"] for cell in json.loads((work / f"out/magic_{name}.ipynb").read_text())["cells"]]
            checks.equal(cells, [list(cell) for cell in after], f"magics: {name}")
        for name in [*PROGRAMS, "cells"]:
            text = (work / f"out/{name}.py").read_text()
            after = PROGRAMS.get(name, (None, None))[1]
            if after is not None:
                checks.equal(text, after, name)
            checks.expect(".npu()" in text, f"{name}: nothing is rewritten: {text}")
            done = subprocess.run([sys.executable, "-B", f"{name}.py"], cwd=work / "out", env={**os.environ, "PYTHONPATH": str(work / "stand_in")},
                                  capture_output=True, text=True)
            checks.equal(done.returncode, 0, f"{name}: {done.stderr}\n{text}")
    checks.finish()


if __name__ == "__main__":
    main()
