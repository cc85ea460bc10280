"""Kills, failing calls and signals at every point of small runs of both programs.

    campaign.py [--every N] [--only NAME]     every N-th point of each run (default: 150; 1 is the whole campaign)
                [--kills N] [--races N]       N kills at any moment, N pairs of the same run at the same time (default: 2)
                [--record]                    writes the figures of a campaign without failures into docs/reference/verified.md

What must hold afterwards, whatever happened and wherever:
* no reader sees half an output, and sources are only ever their old or their new bytes, with a record that undo takes;
* the same command again, or the one that its message names and then the same, gives what an undisturbed run gives, with
  nothing left beside it;
* a run that failed has said why in one line and left everything as it was; a run that ended with 0 has done its work;
* of two runs at the same time both end right, or one is refused in one line.
"""

import argparse
import errno
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "hostile")]
from checkpoints import read_hf_directory, write_zero_run  # noqa: E402
import figures  # noqa: E402
from checks import Checks, make_tiny, run, temporary_directory, tool  # noqa: E402
from injector import Injector, counted  # noqa: E402
from legacy_megatron import Legacy  # noqa: E402
from migrator_serve import DECISIONS, Server  # noqa: E402
from patience import patience  # noqa: E402

# Which calls fail, and how: those that can fail so on a real machine.
FAULTS = [("create", errno.EACCES), ("create", errno.ENOSPC), ("open", errno.EIO), ("open", errno.EINTR), ("pread", errno.EIO),
          ("pread", "short"), ("pread", errno.EINTR), ("pwrite", errno.ENOSPC), ("pwrite", "short"), ("pwrite", errno.EINTR),
          ("pwrite", errno.EFBIG), ("fsync", errno.EIO), ("fsync", errno.EINTR), ("close", errno.EIO), ("close", errno.EINTR),
          ("rename", errno.EIO), ("move", errno.EIO), ("move", errno.ENOSYS), ("mkdir", errno.ENOSPC), ("unlink", errno.EIO),
          ("fallocate", errno.ENOSPC), ("fallocate", errno.EOPNOTSUPP), ("fchmod", errno.EIO), ("fchmod", errno.EPERM),
          ("chmod", errno.EIO), ("utimes", errno.EIO), ("truncate", errno.EIO), ("symlink", errno.EIO), ("fstat", errno.EIO),
          ("stat", errno.EIO), ("readdir", errno.EIO), ("readdir", errno.EINTR), ("flock", errno.ENOLCK)]
KINDS = ["kills", "failures", "signals", "moments", "pairs"]  # of runs, as the table of figures has them
SIGNALS = {"int": 130, "term": 143, "hup": 129}
MAIN = "import torch\nimport net\n\nx = torch.zeros(1).cuda()\ntorch.cuda.synchronize()\n"
TRAIN = """import torch
import my_ext


def main():
    model = torch.nn.Linear(2, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.utils.data.DataLoader(torch.ones(8, 2), batch_size=2)
    for batch in data:
        optimizer.zero_grad()
        loss = my_ext.f(model(batch.cuda())).sum()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
OPERATOR = """#include <torch/extension.h>
torch::Tensor f(torch::Tensor x) { return x * 2; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }
"""
SETUP = """from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension
setup(name="my", ext_modules=[CUDAExtension("my_ext", ["my.cpp"])])
"""
NET = "import torch\n\nDEVICE = 'cuda'\n\n\ndef make():\n    return torch.ones(2, device=DEVICE)\n"


def snapshot(directory):
    """Path -> what is there, without times."""
    out = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if path.is_symlink():
            out[name] = ("link", os.readlink(path))
        elif path.is_dir():
            out[name] = ("directory", oct(path.stat().st_mode & 0o777))
        else:
            out[name] = (oct(path.stat().st_mode & 0o777), hashlib.sha256(path.read_bytes()).hexdigest())
    return out


def comparable(found):
    """Without what is another in every run: the time, the record's token, and what a report says was changed, which is
    nothing when it is the second one."""
    return {name: value for name, value in found.items() if not re.search(r"(report|applied[_0-9]*)(/|$).*\.(json|html|diff)$", name)}


class Job:
    """A command in a directory of its own, which `prepare` fills."""

    def __init__(self, name, prepare, command, is_visible, first=None):
        self.name = name
        self.first = first  # a file that is whole before the rest begins, and stays whatever becomes of that
        self.prepare = prepare
        self.command = command
        self.is_visible = is_visible  # of an output: what its readers look for

    # Whether runs of it can be started and killed without more.
    is_plain = True

    def start(self, directory, fault=None, counts=None):
        return INJECTOR.run(self.command, directory, fault or "", counts or "")


class Serving(Job):
    """`migrator serve`: a person saves decisions, applies them, and ends it. A refused request is a run that failed."""

    is_plain = False

    def start(self, directory, fault=None, counts=None):
        server = Server(tool("migrator"), directory, report="report/report.json",
                        environment=INJECTOR.environment(fault or "", counts or ""))
        refused = self.use(server, directory) if server.is_serving else ""
        code, out, err = server.stop()
        if code == 0 and refused:
            code, err = 6, f"migrator: error: {refused}"
        return subprocess.CompletedProcess(self.command, code, out, err)

    def use(self, server, directory):
        try:
            tag = server.request("GET", "decisions.json")[1]["ETag"]
            status, headers, text = server.request("PUT", "decisions.json", DECISIONS, If_Match=tag)
            if status == 204:
                body = '{"project": "%s"}' % (directory / "in").resolve()
                status, _, text = server.request("POST", "apply", body, If_Match=headers["ETag"])
            return "" if status == 200 else text
        except (OSError, ValueError, KeyError, IndexError):
            return "no answer"  # it was killed


class Campaign:
    def __init__(self, checks, scratch, job, every, number):
        self.checks, self.scratch, self.job, self.every = checks, scratch, job, every
        # A share tries a sixth of the failures with each job, others with the next.
        self.faults = FAULTS if every == 1 else FAULTS[number % 6::6]
        self.before_directory = scratch / "before"
        self.before_directory.mkdir()
        job.prepare(self.before_directory)
        self.before = snapshot(self.before_directory)
        whole = self.fresh("run")  # in the one place: outputs may name it
        counts = scratch / "counts"
        done = job.start(whole, counts=counts)
        checks.expect(done.returncode == 0, f"{job.name}: {done.stderr}")
        self.after = comparable(snapshot(whole))
        self.counts = counted(counts)
        self.runs = Counter()

    def fresh(self, name):
        target = self.scratch / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.before_directory, target, symlinks=True)
        return target

    def points(self, call):
        total = self.counts.get(call, 0)
        # Not the same points for every call, and always the last ones, where outputs become visible.
        first = 1 + len(call) % self.every
        return sorted(set(range(first, total + 1, self.every)) | set(range(max(1, total - 1), total + 1)))

    def expect(self, condition, where, message):
        return self.checks.expect(condition, f"{self.job.name}, {where}: {message}")

    def differences(self, found, wanted):
        return {name: (wanted.get(name), found.get(name)) for name in sorted(set(found) | set(wanted))
                if found.get(name) != wanted.get(name)}

    def check_never_half(self, directory, where):
        """Every file has its old bytes, its new bytes, or is one that readers do not look at."""
        found = comparable(snapshot(directory))
        for name, value in found.items():
            # A record grows with the run, and `undo` takes it at any length.
            hidden = re.search(r"(^|/)\.[^/]*(unfinished|\.run$)|(^|/)\.migrator(/|$)|\.(unfinished|previous)-|(^|/)\.shards(/|$)|applied|^kept/", name)
            if value[0] == "directory" or hidden:
                continue
            allowed = (self.before.get(name), self.after.get(name))
            self.expect(value in allowed, where, f"{name} is neither old nor new")
        if self.job.is_visible(directory):
            half = [name for name in self.after if name.startswith("out/") and found.get(name) != self.after[name]]
            self.expect(not half, where, f"visible and not whole: {half}")

    def check_recovers(self, directory, where):
        """The same command, or what its message names and then the same."""
        done = None
        for _ in range(3):
            done = self.job.start(directory)
            named = re.search(r"`(migrator undo [^`]*)`", done.stderr)
            if done.returncode == 0 or not named:
                break
            words = named.group(1).split()
            undone = run(tool(words[0]), *words[1:], cwd=directory)
            self.expect(undone.returncode == 0, where, f"`{named.group(1)}`: {undone.stderr}")
        found = comparable(snapshot(directory))
        is_done = done.returncode == 0 or re.search("not empty|exists already", done.stderr) or self.job.name == "migrator undo"
        self.expect(is_done, where, f"the run again ended with {done.returncode}: {done.stderr}")
        difference = self.differences(found, self.after)
        self.expect(not difference, where, f"after the run again: {difference}")

    def kill_everywhere(self):
        for point in self.points("change"):
            where = f"killed before change {point}"
            directory = self.fresh("run")
            done = self.job.start(directory, fault=f"change:kill:{point}")
            self.runs["kills"] += 1
            if not self.expect(done.returncode in (-9, 0), where, f"ended with {done.returncode}: {done.stderr}"):
                continue
            self.check_never_half(directory, where)
            self.check_recovers(directory, where)

    def fail_everywhere(self):
        for call, how in self.faults:
            for point in self.points(call):
                where = f"{call} {how} at {point}"
                directory = self.fresh("run")
                done = self.job.start(directory, fault=f"{call}:{how}:{point}")
                self.runs["failures"] += 1
                self.check_failed(directory, done, where)
                self.check_recovers(directory, where) if done.returncode else None

    def check_failed(self, directory, done, where):
        found = comparable(snapshot(directory))
        if done.returncode == 0:
            self.check_done_anyway(directory, found, done, where)
            return
        self.expect(done.returncode in (2, 3, 4, 5, 6), where, f"ended with {done.returncode}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if not line.startswith("migrator: the files are those of")]
        self.expect(len(lines) == 1 and "error: " in lines[0], where, f"said {done.stderr!r}")
        self.check_never_half(directory, where)

    def check_done_anyway(self, directory, found, done, where):
        """0 means done, but for what was told: a file that could not be read is a finding of a migration."""
        difference = self.differences(found, self.after)
        left = {name for name in difference if re.search(r"unfinished|previous|\.run$|\.shards|\.migrator", name)}
        texts = [done.stdout, *(report.read_text() for report in directory.rglob("report.json"))]
        is_said = any(word in text for text in texts for word in ("unreadable", "not in the copy", "not_copied", "not readable", "cannot"))
        told = "migrator" in self.job.command[0] and is_said
        # A record beside one whose name could not be looked at has another name, which the output says.
        renamed = set(re.sub(r"applied[_0-9]*", "applied", name) for name in difference)
        told = told or ("migrator" in self.job.command[0] and all(re.match(r"(out_)?report/applied", name) for name in renamed))
        modes = all(a and b and a[1] == b[1] for a, b in difference.values())
        self.expect(told or modes or set(difference) <= left, where, f"ended with 0 and {difference}")

    def signal_everywhere(self):
        for name, code in SIGNALS.items():
            for point in self.points("change"):
                where = f"SIG{name.upper()} at change {point}"
                directory = self.fresh("run")
                done = self.job.start(directory, fault=f"change:{name}:{point}")
                self.runs["signals"] += 1
                found = comparable(snapshot(directory))
                if done.returncode == 0:
                    self.expect(found == self.after, where, f"0 and {self.differences(found, self.after)}")
                    continue
                self.expect(done.returncode == code, where, f"ended with {done.returncode}: {done.stderr}")
                self.expect("stopped by SIG" in done.stderr, where, f"said {done.stderr!r}")
                before = comparable(self.before)
                difference = self.differences(found, before)
                self.expect(set(difference) <= {self.job.first}, where, f"not as before: {difference}")

    def kill_at_any_moment(self, count):
        """At times drawn anew, also between calls and in the middle of one."""
        start = time.monotonic()
        self.job.start(self.fresh("run"))
        whole = time.monotonic() - start
        for _ in range(count):
            directory = self.fresh("run")
            delay = random.uniform(0, whole)
            process = subprocess.Popen(self.job.command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
            self.runs["moments"] += 1
            where = f"killed after {delay:.4f} s"
            self.check_never_half(directory, where)
            if self.differences(comparable(snapshot(directory)), self.after):
                self.check_recovers(directory, where)

    def race(self, count):
        for _ in range(count):
            directory = self.fresh("run")
            delay = random.choice([0, random.uniform(0, 0.03)])
            both = []
            for wait in (delay, 0):
                both.append(subprocess.Popen(self.job.command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE, text=True))
                time.sleep(wait)
            said = [process.communicate(timeout=patience(120))[1] for process in both]
            codes = [process.returncode for process in both]
            self.runs["pairs"] += 1
            where = f"two runs {delay:.4f} s apart, which ended with {codes} and said {said}"
            for code, text in zip(codes, said):
                self.expect(code in (0, 2, 3, 4, 5, 6), where, "another exit code than documented")
                errors = [line for line in text.splitlines() if "error: " in line]
                self.expect(len(errors) == (1 if code else 0), where, "not one error in one line")
            if 0 in codes:
                difference = self.differences(comparable(snapshot(directory)), self.after)
                self.expect(not difference, where, f"{difference}")
            else:
                self.check_never_half(directory, where)
                self.check_recovers(directory, where)

    def go(self, kills, races):
        self.kill_everywhere()
        self.fail_everywhere()
        if self.job.is_plain:
            self.signal_everywhere()
            self.kill_at_any_moment(kills)
            self.race(races)
        print(f"{self.job.name}: {self.runs.total()} runs ({self.counts['change']} changing calls), "
              f"{len(self.checks.failures)} failures so far", flush=True)
        return [self.job.name, self.counts["change"], *(self.runs[kind] for kind in KINDS)]


def write_project(directory):
    project = directory / "in"
    (project / "pkg").mkdir(parents=True)
    (project / "train.py").write_text(MAIN)
    (project / "train.py").chmod(0o755)
    (project / "net.py").write_text(NET)
    (project / "pkg/__init__.py").write_text("")
    (project / "pkg/loop.py").write_text(MAIN.replace("import net\n", ""))
    (project / "notes.txt").write_text("kept\n")
    (project / "link").symlink_to("notes.txt")


def write_operators(directory):
    (directory / "in").mkdir()
    for name, text in (("train.py", TRAIN), ("setup.py", SETUP), ("my.cpp", OPERATOR)):
        (directory / "in" / name).write_text(text)


def write_traces(directory):
    for name in ("base", "test"):
        shutil.copy(TESTS / f"golden/profiles/data/gpu_tiny_{name}.pt.trace.json.gz", directory / f"{name}.json.gz")


def write_list(directory):
    (directory / "ops.txt").write_text("aten::add\naten::nonsense\n")


def nothing(directory):
    pass


def with_report(directory):
    write_project(directory)
    run(tool("migrator"), "analyze", "in", "--report", "report", "-q", cwd=directory)


def applied(directory):
    with_report(directory)
    run(tool("migrator"), "apply", "report/report.json", "--in-place", cwd=directory)


def copied(directory):
    write_project(directory)
    run(tool("migrator"), "migrate", "in", "-o", "out", "-q", cwd=directory)


def replaced(directory):
    """Applied, and then newer sources in place of the changed ones."""
    applied(directory)
    shutil.rmtree(directory / "in")
    write_project(directory)
    (directory / "in/train.py").write_text("# newer\n" + MAIN)
    (directory / "in/train.py").chmod(0o755)


def with_older_copy(prepare):
    def prepare_both(directory):
        prepare(directory)
        (directory / "out").mkdir()
        (directory / "out/older.py").write_text("")
    return prepare_both


def checkpoint(family, *options):
    def prepare(directory):
        checks = Checks()
        make_tiny(checks, family, directory / "hf", "--layers", "2")
        if options:
            run(tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", "mg", *options, cwd=directory)
    return prepare


def legacy(directory):
    """In the oldest order, in which Q, K and V of a head lie far from each other."""
    checkpoint("qwen15")(directory)
    config = json.loads((directory / "hf/config.json").read_text())
    Legacy(config, read_hf_directory(directory / "hf"), tp=2, version=0, old=True).write(directory / "mg")


def two_workers(directory):
    """Both have done their part, and the last one could not publish: another had the claim."""
    checkpoint("qwen3")(directory)
    command = [tool("ckpt_convert"), "--load-dir", "hf", "--save-dir", "out", "--tp", "2", "--shard"]
    run(*command, "1/2", cwd=directory)
    with open(directory / "out/.shards/claim", "w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)
        run(*command, "2/2", cwd=directory)


def into_empty(prepare):
    def prepare_both(directory):
        prepare(directory)
        (directory / "out").mkdir()
    return prepare_both


def zero_run(directory):
    write_zero_run(directory / "zero", {"embedding.weight": (40, 30), "norm.weight": (30,), "head.weight": (7, 30)})


def jobs():
    migrator, convert = tool("migrator"), tool("ckpt_convert")
    never = lambda directory: False
    tracker = lambda directory: (directory / "out/latest_checkpointed_iteration.txt").exists()
    config = lambda directory: (directory / "out/config.json").exists()
    of_dcp = lambda directory: (directory / "out/.metadata").exists()
    of_ranks = lambda directory: (directory / "out/fsdp_config.json").exists()
    of_universal = lambda directory: (directory / "out/latest_universal").exists()
    of_zero = lambda directory: (directory / "out/latest").exists()
    copy = lambda directory: (directory / "out").exists()
    skeleton = lambda directory: (directory / "out").exists()
    pages = ["--format", "html,json,csv,xlsx"]
    launch = [convert, "launch", "hf", "out", "--devices", "8", "--tp", "2", "-q"]
    quiet = ["-q", "-j", "1"]
    zero = [convert, "--load-dir", "zero", "--save-dir", "out", "--no-progress", "-j", "1"]
    hf = [convert, "--load-dir", "hf", "--save-dir", "out", "--no-progress", "-j", "1"]
    return [
        Job("ckpt hf -> mg", checkpoint("qwen3"), [*hf, "--tp", "2", "--pp", "2"], tracker),
        Job("ckpt hf -> torch_dist", checkpoint("qwen3"), [*hf, "--tp", "2", "--ckpt-format", "torch_dist"], tracker),
        Job("ckpt hf -> dcp", checkpoint("qwen3"), [*hf, "--to", "dcp", "--max-shard-size", "1MB"], of_dcp),
        Job("ckpt hf -> dtensor", checkpoint("qwen3"), [*hf, "--to", "dtensor", "--world", "3"], of_ranks),
        Job("ckpt zero -> universal", zero_run, [*zero, "--to", "universal"], of_universal),
        Job("ckpt zero -> zero", zero_run, [*zero, "--to", "zero", "--stage", "2", "--world", "3"], of_zero),
        Job("ckpt zero -> dtensor", zero_run, [*zero, "--to", "dtensor", "--world", "3", "--optimizer", "keep"], of_ranks),
        Job("ckpt mg -> hf", checkpoint("qwen3", "--tp", "2", "--pp", "2"),
            [convert, "--load-dir", "mg", "--save-dir", "out", "--max-shard-size", "1MB", "--no-progress", "-j", "1"], config),
        Job("ckpt legacy -> mg", legacy, [convert, "--load-dir", "mg", "--save-dir", "out", "--hf-cfg-dir", "hf", "--to", "mcore", "--pp", "2",
                                           "--no-progress", "-j", "1"], tracker),
        Job("ckpt worker", checkpoint("qwen3"), [*hf, "--tp", "2", "--pp", "2", "--shard", "1/1"], tracker),
        Job("migrator migrate -o", write_project, [migrator, "migrate", "in", "-o", "out", *quiet], copy),
        Job("migrator migrate -o --force", copied,
            [migrator, "migrate", "in", "-o", "out", "--force", "--style", "portable", *quiet], never),
        Job("migrator migrate --in-place", write_project,
            [migrator, "migrate", "in", "--in-place", "--style", "portable", "-j", "1"], never),
        Job("migrator apply --in-place", with_report,
            [migrator, "apply", "report/report.json", "--in-place"], never),
        Job("migrator apply -o", with_report, [migrator, "apply", "report/report.json", "-o", "out"], copy),
        Job("migrator apply -o --force", with_older_copy(with_report),
            [migrator, "apply", "report/report.json", "-o", "out", "--force", "--record", "kept"], never),
        Job("migrator undo", applied, [migrator, "undo", "report/applied", "--project", "in"], never),
        Job("migrator reapply --in-place", replaced,
            [migrator, "reapply", "report/applied", "--project", "in", "--in-place"], never),
        Job("migrator reapply -o", replaced, [migrator, "reapply", "report/applied", "-o", "out"], copy),
        Job("migrator reapply -o --force", with_older_copy(replaced), [migrator, "reapply", "report/applied", "-o", "out", "--force"], never),
        Job("migrator analyze", write_project, [migrator, "analyze", "in", "--report", "report", *quiet], never),
        Job("ckpt hf -> mg --plan-html", checkpoint("qwen3"), [*hf, "--tp", "2", "--plan-html", "plan.html"], tracker,
            first="plan.html"),
        Job("ckpt commit", two_workers, [convert, "commit", "out"], tracker),
        Job("ckpt plan", checkpoint("qwen3"),
            [convert, "plan", "hf", "--devices", "8", "--device", "a2", "--plan-html", "plan.html", "-q"], never),
        Job("ckpt launch", checkpoint("qwen3"), launch, copy),
        Job("ckpt launch, into a directory that is there", into_empty(checkpoint("qwen3")), launch, never),
        Job("migrator analyze --skeleton", write_operators,
            [migrator, "analyze", "in", "--skeleton", "out", "--report", "report",
             "--format", "html,json,diff,markdown,csv,transplant,sarif,gitlab,junit", *quiet], skeleton),
        Job("migrator analyze --library", write_project,
            [migrator, "analyze", "in", "--library", "-o", "library.json", *quiet], never),
        Job("migrator migrate -o, with all that is new", write_operators,
            [migrator, "migrate", "in", "-o", "out", "--skeleton", "skeleton", "--start-script", "--instrument", "profiler",
             "--distributed", "train.py", "--record", "kept", *quiet], copy),
        Job("migrator migrate --in-place, with all that is new", write_operators,
            [migrator, "migrate", "in", "--in-place", "--skeleton", "out", "--start-script", "--instrument", "profiler",
             "--report", "report", "-j", "1"], skeleton),
        Job("migrator compare", write_traces, [migrator, "compare", "base.json.gz", "test.json.gz", "-o", "report", *pages], never),
        Job("migrator profile", write_traces, [migrator, "profile", "base.json.gz", "-o", "report", *pages], never),
        Job("migrator ops", write_list,
            [migrator, "ops", "ops.txt", "--report", "report", "--format", "html,json,sarif"], never),
        Job("migrator rules new", nothing, [migrator, "rules", "new", "mine/house.json"], never),
        Serving("migrator serve", with_report, [migrator, "serve", "report/report.json"], never),
    ]


def main():
    global INJECTOR
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=150)
    parser.add_argument("--only", default="")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--races", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    checks, rows = Checks(), []
    with temporary_directory() as scratch:
        INJECTOR = Injector(scratch)
        for number, job in enumerate(jobs()):
            if options.only not in job.name:
                continue
            directory = Path(scratch) / str(number)
            directory.mkdir()
            rows.append(Campaign(checks, directory, job, options.every, number).go(options.kills, options.races))
            shutil.rmtree(directory)
    if options.record and not checks.failures:
        figures.record("faults", rows)
    checks.finish()


if __name__ == "__main__":
    main()
