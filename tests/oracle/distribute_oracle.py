"""Runs a training script in one process, and what `--distributed` makes of it in two, over gloo on the CPU.

torch_npu is not there, so a stand-in says that there is no device. What must hold: in each epoch the two processes see
every sample once, in an order that changes between epochs; they end with the same parameters; output and checkpoint come
from one of them, and the checkpoint has the names of the one-process run.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
from checks import Checks, run_ok, shorten, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

STAND_IN = """import types
import process_groups
import torch
process_groups.keep()
torch.npu = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 2)
"""
SAMPLES, EPOCHS, PROCESSES = 12, 3, 2
SCRIPT = f"""import json
import os

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return {SAMPLES}

    def __getitem__(self, index):
        return index, torch.tensor([float(index), 1.0])


def train(model, loader, optimizer, device):
    seen = []
    model.train()
    for index, x in loader:
        seen += index.tolist()
        optimizer.zero_grad()
        (model(x.to(device)) ** 2).mean().backward()
        optimizer.step()
    return seen


def main():
    torch.manual_seed(int(os.environ.get("RANK", "0")))
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    data = Numbers()
    loader = DataLoader(data, batch_size=2, shuffle=True)
    model = torch.nn.Linear(2, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    orders = []
    for epoch in range({EPOCHS}):
        orders.append(train(model, loader, optimizer, device))
        print("epoch", epoch)
    torch.save(model.state_dict(), "model.pt")
    with os.fdopen(os.open("seen_" + os.environ.get("RANK", "0") + ".json", os.O_CREAT | os.O_WRONLY), "w") as file:
        json.dump([orders, model.weight.tolist()], file)
    with open("once.txt", "a") as file:
        file.write("once")


if __name__ == "__main__":
    main()
"""


def train(checks, name, directory, command):
    environment = {**os.environ, "PYTHONPATH": f"{directory.parent / 'stand_in'}:{SUPPORT}", "OMP_NUM_THREADS": "1",
                   "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "NPROC_PER_NODE": str(PROCESSES),
                   "MASTER_PORT": "29517"}
    done = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=patience(300))
    checks.equal(done.returncode, 0, f"{name}: exit code ({shorten(done.stdout + done.stderr, 2000)})")
    return done.stdout.splitlines()


def state_names(directory):
    import torch
    return sorted(torch.load(directory / "model.pt", weights_only=True))


LOADER = "    loader = DataLoader(data, batch_size=2, shuffle=True)\n"
EPOCHS_LOOP = f"    for epoch in range({EPOCHS}):\n"
# The script as others write it: what is replaced, and by what.
FORMS = {
    "a variable for each": [],
    "options in a dictionary, epochs counted by hand": [
        (LOADER, "    options = dict(batch_size=2, shuffle=True)\n    loader = DataLoader(Numbers(), **options)\n"),
        (EPOCHS_LOOP, f"    epoch = -1\n    while epoch < {EPOCHS} - 1:\n        epoch += 1\n")],
    "loaders from a function, DataParallel": [
        ("def main():\n", "def loaders(data):\n    return DataLoader(data, 2, shuffle=True), DataLoader(data)\n\n\ndef main():\n"),
        (LOADER, "    loader, check = loaders(data)\n"),
        ("    optimizer =", "    if torch.cuda.device_count() > 1:\n        model = torch.nn.DataParallel(model)\n    optimizer ="),
        ("torch.save(model.state_dict()",
         "torch.save(model.module.state_dict() if hasattr(model, 'module') else model.state_dict()")],
}


def check_form(checks, form, text, work):
    (work / "one/train.py").write_text(text)
    migrated = run_ok(checks, tool("migrator"), "migrate", work / "one", "-o", work / "two", "--force", "--distributed", "train.py")
    if not migrated:
        return
    wanted = [f"epoch {epoch}" for epoch in range(EPOCHS)]
    checks.equal(train(checks, "one process", work / "one", [sys.executable, "train.py"]), wanted, f"{form}, one process: output")
    checks.equal(train(checks, "two processes", work / "two", ["./run_distributed.sh"]), wanted, f"{form}, two processes: output")
    ranks = [json.loads((work / f"two/seen_{rank}.json").read_text()) for rank in range(PROCESSES)]
    orders = [list(parts) for parts in zip(*(rank[0] for rank in ranks))]
    for epoch, parts in enumerate(orders):
        checks.equal(sorted(sum(parts, [])), list(range(SAMPLES)), f"{form}, epoch {epoch}: samples of both processes")
    checks.expect(orders[0] != orders[1], f"{form}: the order is the same in every epoch")
    checks.equal(ranks[0][1], ranks[1][1], f"{form}: parameters of the two processes")
    checks.equal((work / "two/once.txt").read_text(), "once", f"{form}: a file that is written")
    checks.equal(state_names(work / "two"), state_names(work / "one"), f"{form}: names in the checkpoint")


def main():
    checks = Checks()
    with temporary_directory() as name:
        work = Path(name)
        (work / "stand_in/torch_npu").mkdir(parents=True)
        (work / "stand_in/torch_npu/__init__.py").write_text(STAND_IN)
        for number, (form, changes) in enumerate(FORMS.items()):
            text = SCRIPT
            for old, new in changes:
                checks.expect(old in text, f"{form}: {old!r} is not in the script")
                text = text.replace(old, new)
            (work / str(number) / "one").mkdir(parents=True)
            (work / str(number) / "stand_in").symlink_to(work / "stand_in")
            check_form(checks, form, text, work / str(number))
    checks.finish()


if __name__ == "__main__":
    main()
