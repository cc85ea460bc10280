"""Every public name that takes plain tensors, called on the emulated NPU: it computes, falls to the CPU or is refused as rules/operators says."""

import json
import sys
import warnings
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks  # noqa: E402

import torch  # noqa: E402
import torch_npu  # noqa: E402, F401

CHIP = "910b"
DENSE = "the emulated NPU has dense tensors only"
COMPOSED = "torch_npu has a kernel for what torch composes of others, and the emulated NPU computes those"
# What differs, and why.
EXPECTED = {
    "torch.Tensor.inverse": COMPOSED, "torch.inverse": COMPOSED, "torch.Tensor.slogdet": COMPOSED, "torch.slogdet": COMPOSED,
    "torch.masked.median": COMPOSED,
    "torch.Tensor.numpy": "torch asks for a copy on the CPU first", "torch.from_dlpack": "DLPack knows the NPU by torch_npu only",
    "torch.Tensor.to_mkldnn": DENSE, "torch.Tensor.to_sparse": DENSE, "torch.Tensor.to_sparse_coo": DENSE,
    "torch.Tensor.to_sparse_csc": DENSE, "torch.Tensor.to_sparse_csr": DENSE, "torch.sparse_coo_tensor": DENSE, "torch.sparse.mm": DENSE,
    "torch.normal": "of the sample's overload nothing is known, which is no reason to refuse it",
    "torch.fft.ihfftn": "the sample is one of the arguments with which it leaves the NPU",
}
SAMPLES = (
    lambda: (torch.rand(4, 4),),
    lambda: (torch.rand(4, 4), torch.rand(4, 4)),
    lambda: (torch.rand(4, 4) > 0.5,),
    lambda: (torch.randint(1, 5, (4, 4)), torch.randint(1, 5, (4, 4))),
)


def public_names():
    for part in ("names", "names_told"):
        for row in json.loads((ROOT / f"rules/operators/{part}.json").read_text())["names"]:
            yield row["name"], next((on["forward"] for on in row["on"] if CHIP in on["chips"]), None)


def found(name):
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value if callable(value) and not isinstance(value, type) else None


def outcome(function, arguments):
    """What becomes of the call, in the words of rules/operators, but that all kernels are one."""
    torch.ops.npu_emulator.take_warned()
    try:
        function(*(argument.npu() for argument in arguments))
    except Exception:  # noqa: BLE001 - whatever it raises, it is refused
        return "refused"
    return "cpu_fallback" if torch.ops.npu_emulator.take_warned() else "npu"


def sample_for(function):
    """The first arguments that the CPU takes; None when it takes none of them."""
    for sample in SAMPLES:
        arguments = sample()
        try:
            function(*(argument.clone() for argument in arguments))
            return arguments
        except Exception:  # noqa: BLE001 - another sample may fit
            continue
    return None


def main():
    checks = Checks()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    seen, differ = Counter(), set()
    for name, verdict in public_names():
        function = found(name)
        arguments = sample_for(function) if function and verdict else None
        if arguments is None:
            continue
        said = "npu" if verdict.startswith("npu_") else verdict
        seen[said] += 1
        if outcome(function, arguments) != said:
            differ.add(name)
    checks.equal(sorted(differ), sorted(EXPECTED), "names of which the emulated NPU and the rules say different things")
    checks.expect(seen["npu"] > 600 and seen["cpu_fallback"] > 100, f"too few names were called: {dict(seen)}")
    print(dict(seen))
    checks.finish()


if __name__ == "__main__":
    main()
