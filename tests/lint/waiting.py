"""No test has a limit of its own in seconds of a clock: on a busy machine it would fail. Limits go through support/patience.py."""

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, is_fixture, tracked_files  # noqa: E402

# Programs under test, and what stands in for a device, wait as they like.
NOT_OURS = re.compile(r"tests/(bench|oracle/npu/(programs|torch_npu)|migrations)/")
GRANTED = ("patience", "slowness")
CLOCK = re.compile(r"\b(monotonic|perf_counter|time\.time)\(")
CLOCK_OF_CPP = re.compile(r"CHECK\([^;]*(steady_clock|system_clock|high_resolution_clock)")


def is_granted(value):
    return any(isinstance(node, ast.Name) and node.id in GRANTED for node in ast.walk(value))


def is_number(value):
    return isinstance(value, ast.Constant) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool)


def is_bare(value, constants):
    """Seconds of a clock: a number, a constant that is one, or what is computed of these alone."""
    if isinstance(value, ast.BinOp):
        return is_bare(value.left, constants) and is_bare(value.right, constants)
    return is_number(value) or (isinstance(value, ast.Name) and value.id in constants)


def constants_of(tree):
    """The names that the file gives to bare numbers, also by way of others."""
    out = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = zip(target.elts, value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [(target, value)]
        out |= {name.id for name, one in pairs if isinstance(name, ast.Name) and is_bare(one, out)}
    return out


def limits(tree):
    """(line, what) of what gives up after so many seconds of a clock."""
    constants = constants_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "timeout" and is_bare(keyword.value, constants):
                    yield node.lineno, "timeout="
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in ("wait", "join", "communicate", "settimeout", "poll", "alarm") and node.args and is_bare(node.args[-1], constants) and ast.unparse(node.args[-1]) != "0":
                yield node.lineno, f"{name}({ast.unparse(node.args[-1])})"
        elif isinstance(node, ast.Assign) and not is_granted(node.value):
            text = ast.unparse(node.value)
            target = ast.unparse(node.targets[0])
            if CLOCK.search(text) and any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) and is_bare(part.right, constants) for part in ast.walk(node.value)):
                yield node.lineno, f"{target} = {text}"
            if re.fullmatch(r"(\w+_)?(TIMEOUT|DEADLINE)(_\w+)?|ANSWER_SECONDS|COLLECTIVE_SECONDS", target) and is_number(node.value):
                yield node.lineno, f"{target} = {text}"
        elif isinstance(node, ast.Compare) and CLOCK.search(ast.unparse(node)) and any(is_bare(part, constants) for part in [node.left, *node.comparators]):
            yield node.lineno, ast.unparse(node)


def main():
    checks = Checks()
    for name in tracked_files():
        if not name.startswith("tests/") or is_fixture(name) or NOT_OURS.match(name):
            continue
        text = (ROOT / name).read_text(encoding="utf-8") if name.endswith((".py", ".cpp", ".h", "CMakeLists.txt")) else ""
        found = []
        if name.endswith(".py"):
            found = list(limits(ast.parse(text)))
        elif name.endswith((".cpp", ".h")):
            found = [(text[:match.start()].count("\n") + 1, match.group(0)) for match in CLOCK_OF_CPP.finditer(text)]
        elif text:
            found = [(text[:match.start()].count("\n") + 1, match.group(0)) for match in re.finditer(r"TIMEOUT (?!\$\{test_seconds\})\S+", text)]
        checks.expect(not found, f"{name}: {'; '.join(f'line {line}: {what}' for line, what in found)}: of a limit for hangs make patience(SECONDS), "
                                 "of a limit for work one of the processor's time (RLIMIT_CPU)")
    for bad in ("subprocess.run(a, timeout=3)", "process.wait(5)", "deadline = time.monotonic() + 10", "assert time.time() - start < 5", "TIMEOUT = 3",
                "GUARD = 60\nrun.communicate(timeout=GUARD)", "A, B = 1, 2\nC = B * 3\nprocess.wait(C)", "LONG = 9\nend = time.monotonic() + LONG"):
        checks.expect(list(limits(ast.parse(bad))), f"this lint does not see {bad}")
    for good in ("run(a, timeout=patience(3))", "d = time.monotonic() + patience(3)", "process.wait()", "TIMEOUT = patience(3)", "GUARD = 60\nrun(a, timeout=patience(GUARD))",
                 "process.poll(0)"):
        checks.expect(not list(limits(ast.parse(good))), f"this lint refuses {good}")
    checks.finish()


if __name__ == "__main__":
    main()
