"""What real torch writes, read by `migrator ops`: the recorder that it prints, exported graphs and traces of models.

For each model the recorder, the trace and the graph must name operators that are known, and agree on which of them leave the NPU. The
recorder must count what a dispatch mode of torch itself counts, and the calls must be those of the step alone.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, tool  # noqa: E402

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402

MOST_UNKNOWN = 0.02


def ops(*words):
    result = subprocess.run([str(tool("migrator")), "ops", *map(str, words)], capture_output=True, text=True)
    return result


def judged(path):
    result = ops(path, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["operators"]


def base_name(name):
    return name.split("::")[-1].split(".")[0]


def leaving(rows):
    return {base_name(row["name"]) for row in rows if row["forward"] in ("cpu_fallback", "refused", "dtype_refused")}


class Gamma(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(256, 8))

    def forward(self, x):
        return torch.lgamma(self.inner(x).abs() + 1) + torch.special.i0e(self.inner(x))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
        self.rnn = nn.LSTM(16, 16, batch_first=True)

    def forward(self, x):
        return self.rnn(self.block(x))[0]


# name: model, input, operators that leave the NPU in a step
MODELS = {
    "gamma": (Gamma, (2, 3, 8, 8), {"lgamma", "digamma", "special_i0e", "special_i1e"}),
    "attention": (Attention, (2, 5, 16), set()),
}


def step(model, optimizer, x):
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


def check_model(checks, name, recorder, directory):
    make, shape, wanted = MODELS[name]
    torch.manual_seed(0)
    model, x = make(), torch.rand(shape)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    step(model, optimizer, x)  # the state of the optimizer is there
    recorded = directory / f"{name}.txt"
    with recorder(str(recorded)):
        step(model, optimizer, x)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as trace:
        step(model, optimizer, x)
    trace.export_chrome_trace(str(directory / f"{name}.json"))
    torch.export.save(torch.export.export(model.eval(), (x,)), str(directory / f"{name}.pt2"))

    rows = judged(recorded)
    checks.equal(leaving(rows), wanted, f"{name}: recorded operators that leave the NPU")
    checks.equal(sum(row["count"] for row in rows), sum(int(line.split()[-1]) for line in recorded.read_text().splitlines()[1:]),
                 f"{name}: calls")
    of_trace = judged(directory / f"{name}.json")
    checks.equal(leaving(of_trace), wanted, f"{name}: operators of the trace that leave the NPU")
    of_graph = judged(directory / f"{name}.pt2")
    checks.equal(leaving(of_graph), wanted & {base_name(row["name"]) for row in of_graph}, f"{name}: operators of the graph")
    checks.expect(len(of_graph) > 3, f"{name}: the graph has {len(of_graph)} operators")
    for kind, found in (("recorded", rows), ("trace", of_trace), ("graph", of_graph)):
        unknown = [row["name"] for row in found if row["forward"] == "unknown"]
        checks.expect(len(unknown) <= MOST_UNKNOWN * len(found), f"{name}, {kind}: not known: {unknown}")
        typed = [row for row in found if row["dtype"]]
        checks.expect(len(typed) > len(found) / 2, f"{name}, {kind}: dtypes of {len(typed)} of {len(found)} operators")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        printed = ops("--recorder")
        checks.equal(printed.returncode, 0, "ops --recorder")
        (directory / "record_ops.py").write_text(printed.stdout)
        sys.path.insert(0, name)
        from record_ops import record_ops
        for model in MODELS:
            check_model(checks, model, record_ops, directory)
    checks.finish()


if __name__ == "__main__":
    main()
