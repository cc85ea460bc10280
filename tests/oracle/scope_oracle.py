"""Compares scopes and names with CPython's symtable on its whole standard library."""

import collections
import symtable
import subprocess
import sys
import sysconfig
import unicodedata
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, tool  # noqa: E402

# What symtable calls functions without a name.
KINDS = {"listcomp": "list_comprehension", "setcomp": "set_comprehension", "dictcomp": "dictionary_comprehension",
         "genexpr": "generator_expression", "lambda": "lambda"}
# Names that CPython adds by itself.
IMPLICIT = {".0", "__class__", "__classdict__"}

# Files that the grammar does not parse, as the migrator reports; everything else in them is as it may be.
NOT_PARSED = {"test/test_compile.py": "in brackets, a line behind a dot begins further left than the statement"}


class Scope:
    def __init__(self, kind, name):
        self.kind, self.name, self.names, self.children = kind, name, {}, []


def ours(paths):
    """{path: the module's Scope} as scope_probe sees them."""
    run = subprocess.run([tool("scope_probe")], input="\n".join(paths), capture_output=True, text=True, check=True)
    modules, scopes = {}, []
    for line in run.stdout.splitlines():
        what, _, rest = line.partition(" ")
        if what == "file":
            scopes = []
            modules[rest] = scopes
        elif what == "scope":
            number, parent, kind, name = rest.split(" ")
            scopes.append(Scope(kind, name))
            if number != "0":
                scopes[int(parent)].children.append(scopes[-1])
        else:
            scope, kind, name = rest.split(" ")
            scopes[int(scope)].names[name] = kind
    return {path: all_scopes[0] for path, all_scopes in modules.items()}


def mangled(scope, class_name=None):
    """Private names get the name of the class around them: __x in class _C is _C__x."""
    if scope.kind == "class":
        class_name = scope.name.lstrip("_")

    def mangle(name):
        return f"_{class_name}{name}" if class_name and name.startswith("__") and not name.endswith("__") else name

    # Two spellings of a letter are one name for CPython; we tell them apart, and nothing that matters here has any.
    scope.names = {mangle(unicodedata.normalize("NFKC", name)): "global" if scope.kind == "module" else kind
                   for name, kind in scope.names.items()}
    for child in scope.children:
        mangled(child, class_name)
    return scope


def kind_of(table, symbol):
    if table.get_type() == "module" or symbol.is_global():
        return "global"
    return "free" if symbol.is_free() else "local"


def theirs(table):
    """The same of a symtable; `silent` are names that may be only declared, or passed on to inner functions."""
    kind, name = table.get_type(), table.get_name()
    if kind == "function" and (name == "lambda" or ".0" in table.get_identifiers()):
        kind = KINDS[name]
    named = kind in ("function", "class")
    scope = Scope(kind, table.get_name() if named else "-")
    scope.silent = set(IMPLICIT)
    for symbol in table.get_symbols():
        scope.names[symbol.get_name()] = kind_of(table, symbol)
        if symbol.is_free() or symbol.is_declared_global() or not (symbol.is_referenced() or symbol.is_assigned()):
            scope.silent.add(symbol.get_name())
    scope.children = [theirs(child) for child in table.get_children()]
    return scope


def differences(mine, cpython, where=""):
    where = f"{where}/{mine.name if mine.name != '-' else mine.kind}"
    for name in sorted(mine.names.keys() | cpython.names.keys()):
        a, b = mine.names.get(name), cpython.names.get(name)
        # For symtable itself a function called `top` is a module.
        if mine.name == "top" and {a, b} == {"local", "global"}:
            continue
        # `type(x).y = z` begins like `type X = ...` for the grammar, so that this `type` is no name.
        if name == "type" and a is None:
            continue
        if a != b and name not in IMPLICIT and not (a is None and name in cpython.silent):
            yield f"{where}: {name} is {a}, for CPython {b}"
    groups = collections.defaultdict(lambda: ([], []))
    for side, scope in enumerate((mine, cpython)):
        for child in scope.children:
            groups[child.kind, child.name][side].append(child)
    for (kind, name), (left, right) in groups.items():
        if len(left) != len(right):
            yield f"{where}: {len(left)} scopes {kind} {name}, for CPython {len(right)}"
            continue
        yield from matched(left, right, where)


def matched(left, right, where):
    """Scopes of one kind and name have no order that both sides share: each takes the first that agrees with it."""
    rest = list(right)
    for child in left:
        found = next((other for other in rest if not any(differences(child, other))), None)
        if found is None:
            yield from differences(child, rest[0], where)
            found = rest[0]
        rest.remove(found)


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10_000)
    roots = sys.argv[1:] or [sysconfig.get_paths()["stdlib"]]
    tables = {}
    for path in sorted(str(path) for root in roots for path in Path(root).rglob("*.py")
                       if "site-packages" not in path.parts or sys.argv[1:]):
        if path.endswith(tuple(NOT_PARSED)):
            continue
        try:
            text = Path(path).read_bytes().decode("utf-8")  # scope_probe reads UTF-8 only
            tables[path] = symtable.symtable(text, path, "exec")
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
    checks = Checks()
    checks.expect(len(tables) > 100, f"only {len(tables)} files found in {roots}")
    modules = ours(list(tables))
    for path, table in tables.items():
        found = list(differences(mangled(modules[path]), theirs(table)))
        checks.expect(not found, f"{path}: " + "; ".join(found[:5]))
    checks.finish()


if __name__ == "__main__":
    main()
