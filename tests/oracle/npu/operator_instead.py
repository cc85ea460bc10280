"""What the rules say to write in place of an operator: it computes the same, and on the emulated NPU nothing of it leaves the NPU."""

import json
import math
import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks  # noqa: E402

import torch  # noqa: E402
import torch_npu  # noqa: E402, F401
from torch.nn import functional as F  # noqa: E402

torch.manual_seed(0)
X, Y, POSITIVE = torch.randn(6, 8), torch.randn(6, 8), torch.rand(6, 8) + 0.1
INTS, MORE = torch.randint(1, 50, (6, 8)), torch.randint(1, 50, (6, 8))
CLASSES = torch.randint(0, 8, (6,))
BAGS, TABLE = torch.randint(0, 20, (6, 3)), torch.randn(20, 4)
STEPS = torch.where(X > 0.5, X, torch.zeros_like(X))


def multi_margin(x, y):
    picked = x.gather(1, y[:, None])
    return (((1 - picked + x).clamp(min=0).sum(1) - 1) / x.shape[1]).mean()


def stable_logcumsumexp(x):
    m = x.max()
    return m + torch.log(torch.cumsum(torch.exp(x - m), 1))


def distances(x):
    first, second = torch.triu_indices(len(x), len(x), 1, device="cpu").to(x.device)
    return torch.linalg.vector_norm(x[first] - x[second], dim=1)


# operator: what torch computes, what is written in its place, arguments; with True also the gradients of the first argument are compared.
SAME = {
    "huber_loss": (lambda x, y: F.huber_loss(x, y, delta=0.7), lambda x, y: 0.7 * F.smooth_l1_loss(x, y, beta=0.7), (X, Y), True),
    "hypot": (torch.hypot, lambda a, b: torch.sqrt(a * a + b * b), (X, Y), False),
    "fmax": (torch.fmax, torch.maximum, (X, Y), False),
    "fmin": (torch.fmin, torch.minimum, (X, Y), False),
    "copysign": (torch.copysign, lambda x, sign: torch.where(sign < 0, -x.abs(), x.abs()), (X, Y), False),
    "heaviside": (torch.heaviside, lambda x, values: torch.where(x == 0, values, (x > 0).to(values.dtype)), (STEPS, Y), False),
    "special_xlog1py": (torch.special.xlog1py, lambda x, y: torch.where(x == 0, 0, x * torch.log1p(y)), (STEPS, POSITIVE), False),
    "_logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), stable_logcumsumexp, (X,), True),
    "_weight_norm_interface_backward": (lambda v, g: torch._weight_norm(v, g, 0),
                                        lambda v, g: g * v / torch.linalg.vector_norm(v, dim=1, keepdim=True), (X, POSITIVE[:, :1]), True),
    "_embedding_bag_backward": (lambda table, bags: F.embedding_bag(bags, table, mode="sum"), lambda table, bags: F.embedding(bags, table).sum(1),
                                (TABLE, BAGS), True),
    "multi_margin_loss": (F.multi_margin_loss, multi_margin, (X, CLASSES), True),
    "_pdist_backward": (torch.pdist, distances, (X,), True),
    "lcm": (torch.lcm, lambda a, b: torch.abs(a // torch.gcd(a, b) * b), (INTS, MORE), False),
    "index_reduce": (lambda x, source, index: x.index_reduce(0, index, source, "amax"),
                     lambda x, source, index: x.scatter_reduce(0, index[:, None].expand_as(source), source, "amax"),
                     (X, Y[:4], torch.tensor([0, 2, 2, 5])), False),
}
# Random numbers: (one sample of 200,000) by its quartiles.
DRAWN = {
    "cauchy_": (lambda like: like.cauchy_(1.0, 2.0), lambda like: 1.0 + 2.0 * torch.tan(math.pi * (torch.rand_like(like) - 0.5))),
    "log_normal_": (lambda like: like.log_normal_(0.5, 0.3), lambda like: torch.exp(0.5 + 0.3 * torch.randn_like(like))),
}
# A way to work, and no expression.
PROSE = {"_fused_adam_", "_linalg_det", "_standard_gamma", "histogram"}


def computed(function, arguments, device, with_gradient):
    first = arguments[0].to(device, copy=True).requires_grad_(with_gradient)
    out = function(first, *(argument.to(device) for argument in arguments[1:]))
    if with_gradient:
        out.sum().backward()
        return [out.detach().cpu(), first.grad.cpu()]
    return [out.cpu()]


def main():
    checks = Checks()
    warnings.simplefilter("ignore")
    rows = [row["of"][0] for row in json.loads((ROOT / "rules/operators/instead.json").read_text())["instead"]]
    checks.equal(sorted(rows), sorted([*SAME, *DRAWN, *PROSE]), "what instead.json has, and what is tried here")
    for name, (operator, instead, arguments, with_gradient) in SAME.items():
        wanted = computed(operator, arguments, "cpu", with_gradient)
        torch.ops.npu_emulator.take_warned()
        found = computed(instead, arguments, "npu", with_gradient)
        checks.equal(torch.ops.npu_emulator.take_warned(), [], f"{name}: operators in its place that leave the NPU")
        for ours, theirs in zip(found, wanted, strict=True):
            checks.expect(torch.allclose(ours, theirs, rtol=1e-5, atol=1e-6), f"{name}: differs by {(ours - theirs).abs().max()}")
    quartiles = torch.tensor([0.25, 0.5, 0.75])
    for name, (operator, instead) in DRAWN.items():
        like = torch.empty(200_000)
        wanted = operator(like.clone()).quantile(quartiles)
        torch.ops.npu_emulator.take_warned()
        found = instead(like.npu())
        checks.equal(torch.ops.npu_emulator.take_warned(), [], f"{name}: operators in its place that leave the NPU")
        checks.expect(torch.allclose(found.cpu().quantile(quartiles), wanted, atol=0.05), f"{name}: another distribution")
    checks.finish()


if __name__ == "__main__":
    main()
