"""Every rewrite of `migrate --affinity`: the cases of rules/affinity before it on the CPU and after it on the emulated NPU, with gradients.

    affinity_suite.py

A function or method of a case whose code a fix changes is called with the tensors that INPUTS has for the names of its parameters.
"""

import ast
import importlib.util
import inspect
import re
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks, run_ok, temporary_directory, tool  # noqa: E402

import affinity_results  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402, F401

import packages  # noqa: E402

# The cases of which it is known what all fixes make of them.
CASES = [path.with_name(path.name.replace(".reviewed.", ".")) for path in sorted((ROOT / "rules/affinity/cases").glob("*.reviewed.py"))]
TOLERANCE = 2e-5


def random(*shape):
    return torch.randn(*shape)


LENGTHS = torch.tensor([0, 3, 7], dtype=torch.int32)
TRIANGLE = torch.ones(5, 6).tril(1)
# By file, then by function where its own differ from "".
INPUTS = {
    "activations": {"": {"x": random(2, 3, 8), "gate": random(2, 8), "up": random(2, 8), "size": 8, "flag": True}},
    "attention": {
        "": {"q": random(2, 5, 4, 8), "k": random(2, 6, 2, 8), "v": random(2, 6, 2, 8)},
        "packed": {"q": random(7, 4, 8), "k": random(7, 2, 8), "v": random(7, 2, 8), "lengths": LENGTHS, "longest": 4},
        **{name: {"q": random(2, 4, 5, 8), "k": random(2, 4, 6, 8), "v": random(2, 4, 6, 8), "mask": random(5, 6)}
           for name in ("manual", "operators", "masked", "masked_and_divided")},
        **{name: {"q": random(2, 4, 5, 8), "k": random(2, 4, 6, 8), "v": random(2, 4, 6, 8), "mask": TRIANGLE}
           for name in ("filled", "filled_and_multiplied")},
        **{name: {"q": random(2, 5, 4, 8), "k": random(2, 6, 4, 8), "v": random(2, 6, 4, 8)} for name in ("efficient", "efficient_causal")},
        "softmax_alone": {"scores": random(2, 32, 64), "mask": torch.ones(32, 64).triu(1).bool()},
        "softmax_and_dropout": {"scores": random(2, 4, 8), "mask": random(4, 8), "size": 16, "p": 0.0, "training": True},
    },
    "normalization": {
        "": {"x": random(2, 3, 8), "hidden_states": random(2, 3, 8), "weight": random(8), "residual": random(2, 3, 8), "size": 8, "eps": 1e-6},
        "group": {"x": random(2, 8, 5), "weight": random(8), "bias": random(8)},
    },
    "optimizers": {"": {}},
    "rotary": {"": {"q": random(2, 4, 5, 8), "k": random(2, 4, 5, 8), "t": random(2, 4, 5, 8), "freqs": random(1, 1, 5, 8),
                    "cos": random(1, 1, 5, 8), "sin": random(1, 1, 5, 8)},
               "rotary": {"q": random(2, 4, 5, 8), "k": random(2, 4, 5, 8), "cos": random(2, 5, 8), "sin": random(2, 5, 8)}},
    "tensors": {"": {"a": random(2, 3, 4), "b": random(2, 5, 4), "x": random(1, 8, 8, 3), "size": 2}},
}


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions_of(text):
    """Qualified name -> (source lines, rules that are expected in them)."""
    found = {}
    lines = text.splitlines()

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, ast.FunctionDef):
                own = lines[node.lineno - 1:node.end_lineno]
                found[prefix + node.name] = own, re.findall(r"affinity\.\w+", "\n".join(line.partition("# expect:")[2] for line in own))

    visit(ast.parse(text).body, "")
    return found


def call(module, name, inputs, device, gradients=True):
    """Outputs, and gradients of everything that has one, unless they are not asked for."""
    torch.manual_seed(0)
    leaves = []

    def moved(value):
        if not isinstance(value, torch.Tensor):
            return value
        value = value.detach().clone().to(device)
        if gradients and value.is_floating_point():
            leaves.append(value.requires_grad_())
        return value

    def arguments(function):
        names = [name for name, one in inspect.signature(function).parameters.items() if one.default is inspect.Parameter.empty]
        return {name: moved(inputs[name]) for name in names}

    owner, _, method = name.rpartition(".")
    function = getattr(module, method) if not owner else None
    if owner:
        made = getattr(module, owner)
        made = made(**arguments(made)) if made.__init__ is not torch.nn.Module.__init__ else made()
        for parameter in made.parameters():
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        made.to(device)
        leaves += made.parameters()
        function = getattr(made, method)
    if "model" in inspect.signature(function).parameters:
        return trained(function, device)
    out = function(**arguments(function))
    if isinstance(out, torch.nn.Module):
        out = out.to(device)(moved(random_input()))
    outputs = list(out) if isinstance(out, tuple) else [out]
    if not gradients:
        return outputs
    (sum((one * torch.linspace(0, 1, one.numel()).view(one.shape).to(device)).sum() for one in outputs)).backward()
    return [*outputs, *(leaf.grad for leaf in leaves if leaf.grad is not None)]


def random_input():
    return torch.randn(3, 8)


def trained(function, device):
    """The parameters after some steps with the optimizer that `function` makes."""
    model = torch.nn.Linear(8, 4).to(device)
    x, y = torch.randn(16, 8).to(device), torch.randn(16, 4).to(device)
    optimizer = function(model)
    for _ in range(5):
        model.zero_grad()
        (model(x) - y).pow(2).mean().backward()
        optimizer.step()
    return list(model.parameters())


def largest_difference(found, wanted):
    found, wanted = ([one.detach().cpu().float() for one in all] for all in (found, wanted))
    if [one.shape for one in found] != [one.shape for one in wanted]:
        return float("inf")
    return max(((a - b).abs() / b.abs().clamp(min=1)).max().item() for a, b in zip(found, wanted))


def migrated(checks, work):
    source, output = Path(work) / "in", Path(work) / "npu"
    source.mkdir()
    for path in CASES:
        shutil.copy(path, source)
    run_ok(checks, tool("migrator"), "migrate", source, "-o", output, "--affinity", "--apply", "review", "-q", "--no-config")
    return output


def run_file(checks, path, output, rows):
    before, after = path.read_text(), (output / path.name).read_text()
    inputs = INPUTS[path.stem]
    originals, changed = functions_of(before), functions_of(after)
    names = [name for name, (lines, _) in originals.items() if changed[name][0] != lines]
    modules = load(path, f"{path.stem}_before"), load(output / path.name, f"{path.stem}_after")
    for name in names:
        own = inputs.get(name.rpartition(".")[2]) or inputs[""]
        what = f"{path.stem}: {name}"
        try:
            wanted, found = (call(module, name, own, device) for module, device in zip(modules, ("cpu", "npu")))
        except Exception as problem:
            checks.expect(False, f"{what}: {type(problem).__name__}: {problem}")
            continue
        difference = largest_difference(found, wanted)
        if checks.expect(difference <= TOLERANCE, f"{what}: differs by {difference:.1e}"):
            for rule in originals[name][1]:
                rows.setdefault(rule, []).append((name, difference))


def main():
    checks, rows = Checks(), {}
    packages.install()
    with temporary_directory() as work:
        output = migrated(checks, work)
        for path in CASES:
            run_file(checks, path, output, rows)
    for rule in affinity_results.rules_with_fix():
        checks.expect(rule in rows, f"{rule}: nothing that it rewrites was run")
    print(affinity_results.as_text(rows))
    checks.finish()


if __name__ == "__main__":
    main()
