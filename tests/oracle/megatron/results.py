"""Comparison of logits and tensors, and the table that the suite prints."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks  # noqa: E402

MOST = 1e-4  # the largest difference of two logits that is put down to float32's rounding


class Results:
    """Notes failures in `checks` and one row per comparison of logits."""

    def __init__(self, checks):
        self.checks = checks
        self.notes = []
        print(f"{'family':20} {'topology':18} {'what':34} {'max diff':>9}  argmax", flush=True)

    def logits(self, family, topology, what, found, wanted):
        """Equal up to rounding, and the same token chosen everywhere."""
        name = f"{family}, {topology}, {what}"
        if not self.checks.equal(tuple(found.shape), tuple(wanted.shape), f"{name}: shape of the logits"):
            return
        difference = (found - wanted).abs().max().item()
        same = (found.argmax(-1) == wanted.argmax(-1)).float().mean().item()
        close = difference < MOST and same == 1.0  # false for NaN, which is what was not loaded
        self.row(family, topology, what, f"{difference:9.2g}  {same:.0%}{'' if close else '  FAILED'}")
        self.checks.expect(close, f"{name}: logits differ by {difference:.3g}, same token in {same:.1%}")

    def rank_logits(self, family, topology, what, answers, wanted):
        """The same from every rank that has logits: those of the last pipeline stage, which agree."""
        found = [answer for answer in answers if answer is not None]
        if self.checks.equal(len(found), topology.stage_size, f"{family}, {topology}, {what}: ranks with logits"):
            self.logits(family, topology, what, found[0], wanted)
            # Groups of tensor-parallel ranks that hold different experts add in different orders.
            first_of_group = [found[i - i % topology.tensor] for i in range(len(found))]
            self.checks.expect(all(map(torch.equal, first_of_group, found)),
                               f"{family}, {topology}, {what}: the tensor-parallel ranks give different logits")
            self.checks.expect(all((other - found[0]).abs().max().item() < MOST for other in found),
                               f"{family}, {topology}, {what}: the expert-parallel ranks give different logits")

    def row(self, family, topology, what, outcome):
        print(f"{family:20} {topology!s:18} {what:34} {outcome}", flush=True)

    def failed(self, family, topology, what, reason):
        self.row(family, topology, what, "   FAILED")
        self.checks.expect(False, f"{family}, {topology}, {what}: {reason}")

    def note(self, text):
        """Something left out; said once, at the end."""
        if text not in self.notes:
            self.notes.append(text)

    def same_tensors(self, name, found, wanted):
        """Two dicts of tensors with the same names and the same bits."""
        self.checks.equal(sorted(found), sorted(wanted), f"{name}: names")
        for key in sorted(set(found) & set(wanted)):
            one, other = found[key], wanted[key]
            same = one.dtype == other.dtype and one.shape == other.shape and torch.equal(bits(one), bits(other))
            self.checks.expect(same, f"{name}: {key} differs ({one.dtype} {tuple(one.shape)}, "
                                     f"wanted {other.dtype} {tuple(other.shape)})")


def bits(tensor):
    return tensor.contiguous().view(torch.uint8) if tensor.dim() else tensor.reshape(1).view(torch.uint8)
