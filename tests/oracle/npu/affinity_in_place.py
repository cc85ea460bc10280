"""`migrate --affinity` keeps results where values change on the way: its cases, with statements put between theirs that write to tensors.

    affinity_in_place.py [--count N] [--seed N]      N variants of every case (default: 4)

Every variant runs before it on the CPU and after it on the emulated NPU.
"""

import argparse
import ast
import random
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import Checks, run_ok, temporary_directory, tool  # noqa: E402

import affinity_suite  # noqa: E402
import packages  # noqa: E402
import torch  # noqa: E402

HELPER = "\n\ndef bump_(value):\n    value.sub_(0.25)\n"
WRITES = ["{0}.mul_(1.5)", "{0}.data.add_(0.25)", "{0}[..., 0] = 0.5", "torch.add({0}, 1.0, out={0})", "{0} += 0.125", "bump_({0})",
          "alias = {0}; alias.mul_(0.5)", "held = [{0}]; held[0].add_(1.0)", "view = {0}.view(-1); view.mul_(0.75)",
          "for part in ({0},):\n    part.add_(0.5)", "torch.nn.functional.relu({0}, inplace=True)", "{0}.copy_({0} * 2)",
          "{0} = {0} + 1.0", "if {0} is not None:\n    {0}.clamp_(-1.0, 1.0)"]


class Writer(ast.NodeTransformer):
    """Puts one write to a name that is bound by then at one place of every function."""

    def __init__(self, rng, whole_numbers):
        self.rng, self.whole_numbers = rng, whole_numbers

    def visit_FunctionDef(self, node):
        names = [argument.arg for argument in node.args.args if argument.arg not in ("self", *self.whole_numbers)]
        bound = [list(names)]
        for statement in node.body:
            names += [inner.id for inner in ast.walk(statement) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)]
            bound.append(list(names))
        at = self.rng.randrange(len(node.body))  # in front of the statement with this number
        if bound[at]:
            write = self.rng.choice(WRITES).format(self.rng.choice(bound[at]))
            node.body[at:at] = ast.parse(write).body
        return node


def variant(case, rng):
    """Lengths and the like stay as they are: with others there is nothing to compare."""
    inputs = affinity_suite.INPUTS[case.stem].values()
    whole = {name for one in inputs for name, value in one.items() if isinstance(value, torch.Tensor) and not value.is_floating_point()}
    return ast.unparse(Writer(rng, whole).visit(ast.parse(case.read_text()))) + HELPER


def outputs_of(module, name, inputs, device):
    with torch.no_grad():
        return affinity_suite.call(module, name, inputs, device, gradients=False)


def check_file(checks, case, path, output):
    """How many functions that a fix changed were compared."""
    before, after = (affinity_suite.functions_of(one.read_text()) for one in (path, output / path.name))
    modules = [affinity_suite.load(one, f"{path.stem}_{one.parent.name}") for one in (path, output / path.name)]
    inputs, compared = affinity_suite.INPUTS[case.stem], 0
    for name in before:
        if before[name][0] == after[name][0] or "model" in before[name][0][0]:
            continue
        own = inputs.get(name.rpartition(".")[2]) or inputs[""]
        try:
            wanted = outputs_of(modules[0], name, own, "cpu")
        except Exception:  # the write does not suit what the name is bound to
            continue
        compared += 1
        where = f"{path.stem}: {name}:\n" + "\n".join(before[name][0]) + "\nbecame\n" + "\n".join(after[name][0])
        try:
            found = outputs_of(modules[1], name, own, "npu")
        except Exception as problem:
            checks.expect(False, f"{where}\n{type(problem).__name__}: {problem}")
            continue
        difference = affinity_suite.largest_difference(found, wanted)
        checks.expect(difference <= affinity_suite.TOLERANCE, f"{where}\ndiffers by {difference:.1e}")
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checks, compared, rng = Checks(), 0, random.Random(options.seed)
    packages.install()
    with temporary_directory() as work:
        source, output = Path(work) / "in", Path(work) / "npu"
        source.mkdir()
        made = []
        for case in affinity_suite.CASES:
            shutil.copy(case, source)
            for number in range(options.count if case.stem != "optimizers" else 0):
                path = source / f"{case.stem}_{number}.py"
                path.write_text(variant(case, rng))
                made.append((case, path))
        run_ok(checks, tool("migrator"), "migrate", source, "-o", output, "--affinity", "--apply", "review", "-q", "--no-config")
        for case, path in made:
            compared += check_file(checks, case, path, output)
    print(f"{len(made)} files, {compared} functions that were rewritten and ran")
    checks.expect(compared >= options.count, "next to nothing was rewritten")
    checks.finish()


if __name__ == "__main__":
    main()
