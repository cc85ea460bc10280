"""What becomes of each operator on the emulated NPU, an Atlas A2: what rules/operators says of it."""

import json
from pathlib import Path

import torch

OPERATORS = Path(__file__).resolve().parents[4] / "rules/operators/operators.json"
CHIP = "910b"


def own(operator):
    """What becomes of the operator itself on the chip; None where what it is composed of decides."""
    for on in operator["on"]:
        if CHIP in on["chips"]:
            return None if on.get("by", operator["name"]) != operator["name"] else on["verdict"]
    return None


def allowed_dtypes(operator):
    return next((item["allowed"] for item in operator.get("dtypes", ()) if CHIP in item["chips"]), None)


def is_by_out_form(name):
    """Whether torch computes it by its form with "out" where a device has no kernel for it."""
    name = "aten::" + name
    return (torch._C._dispatch_has_kernel(name)
            and torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeExplicitAutogradNonFunctional"))


def apply():
    operators = json.loads(OPERATORS.read_text())["operators"]
    verdicts = {operator["name"]: own(operator) for operator in operators}
    dtypes = {operator["name"]: allowed_dtypes(operator) for operator in operators}
    on_npu = [name for name, verdict in verdicts.items() if verdict in ("npu_aclnn", "npu_aclop", "npu_native")]
    torch.ops.npu_emulator.set_verdicts(
        list(filter(is_by_out_form, on_npu)),
        [name for name, verdict in verdicts.items() if verdict == "refused"],
        [name for name, verdict in verdicts.items() if verdict == "cpu_fallback"],
        {name: allowed for name, allowed in dtypes.items() if allowed and name in on_npu})
