"""Measures the migrator on a generated project: lines per second of processor time, by phase and end to end, and peak memory.

    migrate_bench.py [--lines N] [--directory DIR] [--project PROJECT]

Without PROJECT a corpus of N lines (1,000,000) is generated. Processor time, not wall time, so that other work on the machine
disturbs less; CPython's own parser on the same files tells how fast the machine is. Not part of the tests: figures depend on the machine.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("MIGRATION_BIN", ROOT / "build/release/bin"))
FILE_LINES = 400

HEAD = '''"""Module {number}: part of a generated project."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from pkg.module_{other:05} import Net{other}, train_{other}
'''
MODEL = '''

class Net{number}x{part}(nn.Module):
    """A network of {width} channels; "cuda" in prose stays."""

    def __init__(self, width={width}, depth={part}, dropout=0.1):
        super().__init__()
        self.width, self.depth = width, depth
        self.first = nn.Linear(width, width * 2)
        self.layers = nn.ModuleList([nn.Linear(width * 2, width * 2) for _ in range(depth)])
        self.norm = nn.LayerNorm(width * 2, eps=1e-6)
        self.register_buffer("scale", torch.ones(1) / (width ** 0.5), persistent=False)
        # The table below is read by name in configuration files.
        self.options = {{"width": width, "depth": depth, "names": [f"layer_{{i}}" for i in range(depth)]}}

    def forward(self, inputs, mask=None):
        hidden = F.gelu(self.first(inputs))
        for index, layer in enumerate(self.layers):
            residual = hidden
            hidden = layer(hidden) + residual * self.scale
            if mask is not None and index % 2 == 0:
                hidden = hidden.masked_fill(mask.unsqueeze(-1) == 0, float("-inf"))
        return self.norm(hidden).mean(dim=(1, 2)) if hidden.dim() > 3 else self.norm(hidden)
'''
TRAIN = '''

def train_{number}(loader, epochs=3, **settings):
    device = settings.get("device") or ("cuda" if torch.cuda.is_available() else "cpu")
    model = Net{number}().to(device)
    scaler = torch.cuda.amp.GradScaler(enabled=settings.get("amp", True))
    for epoch in range(epochs):
        for step, (inputs, target) in enumerate(loader):
            with torch.cuda.amp.autocast():
                loss = F.cross_entropy(model(inputs.cuda(non_blocking=True)), target.to(device))
            scaler.scale(loss).backward()
            if step % 100 == 0 and os.environ.get("LOCAL_RANK", "0") == "0":
                print(f"epoch {{epoch}} step {{step}}: {{loss.item():.4f}} at {{torch.cuda.max_memory_allocated() / 2**20:.0f}} MiB")
    torch.cuda.synchronize()
    return model


Net{number} = Net{number}x0
'''


def generate(directory, lines):
    """A package of that many lines: mostly code without devices, as projects are."""
    rng = random.Random(1)
    count = max(2, lines // FILE_LINES)
    (directory / "pkg").mkdir(parents=True)
    (directory / "pkg/__init__.py").write_text("")
    for number in range(count):
        text = HEAD.format(number=number, other=rng.randrange(count))
        part = 0
        while text.count("\n") < FILE_LINES - 30:
            text += MODEL.format(number=number, part=part, width=rng.choice([64, 128, 256]))
            part += 1
        (directory / f"pkg/module_{number:05}.py").write_text(text + TRAIN.format(number=number))


def cpython_seconds(files):
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in files:
            try:
                ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue
    return time.process_time() - start


def run_tool(project, output, threads):
    """(user seconds, system seconds, wall seconds, peak MiB) of one migration."""
    command = [BIN / "migrator", "migrate", project, "-o", output, "-q", "--no-progress", "-j", str(threads)]
    start = time.monotonic()
    child = subprocess.Popen(list(map(str, command)))
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"migrator ended with status {status}")
    return usage.ru_utime, usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lines", type=int, default=1_000_000)
    options.add_argument("--directory", help="for the corpus and the output; default: a temporary directory")
    options.add_argument("--project", type=Path, help="measure this project instead")
    args = options.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="migrate_bench_", dir=args.directory))
    try:
        project = args.project or directory / "project"
        if not args.project:
            generate(project, args.lines)
        files = sorted(project.rglob("*.py"))
        lines = sum(path.read_bytes().count(b"\n") for path in files)
        print(f"{len(files):,} files, {lines:,} lines, {sum(path.stat().st_size for path in files) / 2**20:.1f} MiB\n")
        print(f"{'phase':<22} {'seconds':>9} {'lines/s':>12}")
        seconds = cpython_seconds(files)
        print(f"{'CPython ast.parse':<22} {seconds:>9.2f} {lines / seconds:>12,.0f}")
        phases = subprocess.run([BIN / "migrate_phases"], input="\n".join(map(str, files)), capture_output=True, text=True, check=True)
        for line in phases.stdout.splitlines():
            name, spent, rate = line.split()
            print(f"{name:<22} {float(spent):>9.2f} {float(rate):>12,.0f}")
        for threads in (1, 2):
            user, system, wall, peak = run_tool(project, directory / f"out{threads}", threads)
            name = f"end to end, -j {threads}"
            print(f"{name:<22} {user:>9.2f} {lines / user:>12,.0f}   and {system:.2f} s in the kernel, {wall:.2f} s wall, {peak:.0f} MiB peak")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
