"""What `--skeleton` writes, loaded and run: every fallback computes what its reference does and has the right gradient; a stub
says which kernel is missing; a schema is that of its function.
"""

import importlib
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
sys.dont_write_bytecode = True
from checks import ROOT, Checks, run_ok, temporary_directory, tool  # noqa: E402

FALLBACKS = sorted(path.stem for path in (ROOT / "rules/custom_ops/skeletons").glob("*.py"))
STUB = """#include <torch/extension.h>
__global__ void warp_kernel(float* x) {}
std::vector<at::Tensor> warp_cuda(const at::Tensor& x, int64_t lambda, c10::optional<at::Tensor> mask) { warp_kernel<<<1, 2>>>(p); }
void strange(Mystery x) {}
TORCH_LIBRARY(mine, m) { m.def("shift(Tensor x, float by=1.0) -> Tensor"); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("warp", &warp_cuda); m.def("strange", &strange); }
"""


def project(work):
    """A project that binds an operator of the name of each fallback, and three that nobody knows."""
    (work / "in").mkdir()
    for name in FALLBACKS:
        (work / f"in/{name}.cpp").write_text(f"PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def(\"{NAMES.get(name, name)}\", &run); }}\n")
    (work / "in/stub.cu").write_text(STUB)


# What operators with these fallbacks are called in projects.
NAMES = {"rotary_embedding": "apply_rotary", "flash_attention": "mha_fwd"}


def check_fallback(checks, module, name, reference, arguments):
    import torch

    checks.equal(torch.library.infer_schema(getattr(module, name), mutates_args=()).replace("SymInt", "int"), module.SCHEMA,
                 f"{name}: schema")
    operator = getattr(torch.ops.npu_skeleton, module.__name__.rpartition(".")[2])
    for given in arguments:
        found, wanted = operator(*given), reference(*given)
        for one, other in zip(found, wanted) if isinstance(wanted, tuple) else ((found, wanted),):
            checks.expect(one.shape == other.shape and torch.allclose(one.double(), other.double(), rtol=1e-9, atol=1e-11),
                          f"{name}: {one} is not {other}")
    for given in module.examples():
        checks.expect(torch.autograd.gradcheck(operator, given, raise_exception=False), f"{name}: gradient")


def check_stub(checks, module, kernel, schema, arguments):
    checks.equal(module.SCHEMA, schema, f"{module.__name__}: schema")
    for call in (lambda: module.operator(*arguments), module.examples):
        try:
            call()
            checks.expect(False, f"{module.__name__}: it does not say that it is to be written")
        except NotImplementedError as problem:
            checks.expect(kernel in str(problem), f"{module.__name__}: {problem}")


def check_package(checks, work):
    import torch
    from skeleton_references import REFERENCES

    sys.path[:0] = [str(work)]
    importlib.import_module("skeletons")
    checks.equal(sorted(REFERENCES), FALLBACKS, "fallbacks with a reference")
    for name, (reference, arguments) in REFERENCES.items():
        called = NAMES.get(name, name)
        check_fallback(checks, importlib.import_module(f"skeletons.{called}"), name, reference, arguments)
    x = torch.zeros(2)
    check_stub(checks, importlib.import_module("skeletons.warp"), "warp_kernel of stub.cu:2",
               "(Tensor x, int lambda_, Tensor? mask) -> Tensor[]", (x, 1, None))
    check_stub(checks, importlib.import_module("skeletons.strange"), "strange of stub.cu:6", None, (x,))
    check_stub(checks, importlib.import_module("skeletons.mine_shift"), "mine::shift of stub.cu:5",
               "(Tensor x, float by=1.0) -> Tensor", (x,))
    try:
        torch.ops.mine.shift(x)
        checks.expect(False, "torch.ops.mine.shift is not registered")
    except NotImplementedError as problem:
        checks.expect("stub.cu:5" in str(problem), f"torch.ops.mine.shift: {problem}")


def main():
    checks = Checks()
    migrator = tool("migrator")
    with temporary_directory() as work:
        work = Path(work)
        project(work)
        if run_ok(checks, migrator, "analyze", "in", "--skeleton", "skeletons", cwd=work):
            check_package(checks, work)
            done = subprocess.run([sys.executable, "-B", "-m", "skeletons.check_gradients"], cwd=work, capture_output=True, text=True)
            lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
            checks.equal(done.returncode, 0, f"check_gradients: {done.stderr}")
            checks.equal(lines.get("warp"), "not written", "check_gradients of a stub")
            checks.equal(lines.get("nms"), "no gradient", "check_gradients of indices")
            checks.equal(lines.get("ms_deform_attn"), "right", "check_gradients of a fallback")
            checks.equal(len(lines), len(FALLBACKS) + 3, "check_gradients: operators")
            again = subprocess.run([migrator, "analyze", "in", "--skeleton", "skeletons"], cwd=work, capture_output=True, text=True)
            checks.equal(again.returncode, 2, "a directory with files: exit code")
    checks.finish()


if __name__ == "__main__":
    main()
