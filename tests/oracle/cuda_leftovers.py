"""Finds what still asks for CUDA in Python source, with CPython's own parser and a small name resolution of its own."""

import ast
import json
import re

# A whole string that names a device or back end: "cuda", "cuda:0", the "cuda:" and "cuda:%d" from which one is made.
DEVICE = re.compile(r"(cuda(:(\d+|%d|%s|\{.*\})?)?|nccl)", re.IGNORECASE)


def python_of_notebook(text):
    """The code cells as one module; lines of IPython's own become `pass`, cells of other languages are left out."""
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = []
    for cell in cells:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if not source.lstrip().startswith("%%"):
            lines += [re.sub(r"^(\s*)[%!].*", r"\1pass", line) for line in source.splitlines()]
    return "\n".join(lines) + "\n"


def imported_names(tree):
    """{name: qualified name} of everything that an import statement anywhere in the file binds."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def qualified(node, names):
    """"torch.cuda.amp" for `th.cuda.amp` after `import torch as th`; None when the root is no imported name."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])


def docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                yield first.value


def find(source):
    """[(line, what)] of the uses of CUDA in a Python source."""
    tree = ast.parse(source)
    names, prose, found = imported_names(tree), set(docstrings(tree)), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(node.lineno, f"import {alias.name}") for alias in node.names if alias.name.startswith("torch.cuda")}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                if f"{node.module}.{alias.name}.".startswith("torch.cuda."):
                    found.add((node.lineno, f"from {node.module} import {alias.name}"))
        elif isinstance(node, (ast.Attribute, ast.Name)):
            name = qualified(node, names)
            if name is not None and (name == "torch.cuda" or name.startswith("torch.cuda.")):
                found.add((node.lineno, "torch.cuda"))
            elif isinstance(node, ast.Attribute) and node.attr in ("cuda", "is_cuda", "CUDA"):
                found.add((node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            if DEVICE.fullmatch(node.value):
                found.add((node.lineno, repr(node.value)))
    return sorted(found)
