"""`ckpt_convert launch --check --fix`, killed, stopped and failing at every change that it makes to the disk: a script that is changed is
its old text or its new one, a run that fails leaves all as they were, and the same command again ends what a killed one began.
Where it writes, and where it does not: below the folder of the script, through no link that leads out, with no bits but permissions.

    launch_fix.py [--every N]        every N-th point (default: all)
"""

import argparse
import errno
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run, temporary_directory, tool  # noqa: E402
from injector import Injector, counted  # noqa: E402

# In two files, one for each: what is right, and the mistake.
MISTAKES = {"model.sh": ("--num-layers 2", "--num-layers 6"), "pretrain.sh": ("_text_document\"", "_text_document.bin\"")}
FAILURES = [("rename", errno.EIO), ("create", errno.EACCES), ("create", errno.ENOSPC), ("pwrite", errno.ENOSPC), ("fsync", errno.EIO),
            ("close", errno.EIO), ("fchmod", errno.EIO)]
SIGNALS = {"int": 130, "term": 143, "hup": 129}
HIDDEN = ".unfinished"
COMMAND = ["launch", "--check", "set/pretrain.sh", "--model", "hf", "--fix"]


def contents(directory):
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


class Fix:
    def __init__(self, checks, scratch):
        self.checks, self.scratch = checks, scratch
        self.injector = Injector(scratch)
        make_tiny(checks, "qwen3", scratch / "hf", "--layers", "2")
        done = run(tool("ckpt_convert"), "launch", scratch / "hf", scratch / "right", "--devices", "8", "--tp", "2", "--pp", "2")
        checks.expect(done.returncode == 0, done.stderr)
        self.right = {}
        shutil.copytree(scratch / "right", scratch / "wrong")
        for name, (right, mistake) in MISTAKES.items():
            text = (scratch / "wrong" / name).read_text()
            checks.expect(right in text, f"{right} is not in {name}")
            (scratch / "wrong" / name).write_text(text.replace(right, mistake, 1))
        self.wrong = contents(scratch / "wrong")

    def start(self, fault="", counts="", fresh=True):
        if fresh:
            self.fresh()
        return self.injector.run([tool("ckpt_convert"), *COMMAND], self.scratch, fault, counts)

    def fresh(self):
        shutil.rmtree(self.scratch / "set", ignore_errors=True)
        shutil.copytree(self.scratch / "wrong", self.scratch / "set")

    def found(self):
        return contents(self.scratch / "set")

    def check_whole(self, where):
        for name, text in self.found().items():
            if not name.endswith(HIDDEN):
                self.checks.expect(text in (self.wrong.get(name), self.right.get(name)), f"{where}: {name} is neither old nor new")

    def check_again(self, where):
        done = self.start(fresh=False)
        self.checks.expect(done.returncode in (0, 1), f"{where}: the run again ended with {done.returncode}: {done.stderr}")
        self.checks.equal(self.found(), self.right, f"{where}: after the run again")

    def fix(self):
        """What it says of its files, as JSON, and the exit code."""
        done = run(tool("ckpt_convert"), *COMMAND, "--json", cwd=self.scratch)
        self.checks.expect(done.returncode == 1, f"--fix ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def check_places(self):
        """`model.sh` has a mistake and is elsewhere; what is corrected is `pretrain.sh` alone."""
        folder, model = self.scratch / "set", self.scratch / "set/model.sh"
        for what in ("sourced from elsewhere", "a link that leads out", "a link that leads to a folder elsewhere", "a link that stays",
                     "set-user-ID", "a script that is a link"):
            self.fresh()
            elsewhere = self.scratch / "elsewhere"
            shutil.rmtree(elsewhere, ignore_errors=True)
            elsewhere.mkdir()
            changed = ["set/model.sh", "set/pretrain.sh"]
            if what == "sourced from elsewhere":
                shutil.move(model, elsewhere / "common.sh")
                script = folder / "pretrain.sh"
                script.write_text(script.read_text().replace('"$HERE/model.sh"', f'"{elsewhere}/common.sh"'))
                changed, kept, target = ["set/pretrain.sh"], elsewhere / "common.sh", None
            elif what == "a link that leads out":
                shutil.move(model, elsewhere / "real.sh")
                model.symlink_to(elsewhere / "real.sh")
                changed, kept, target = ["set/pretrain.sh"], elsewhere / "real.sh", elsewhere / "real.sh"
            elif what == "a link that leads to a folder elsewhere":
                shutil.move(model, elsewhere / "model.sh")
                (folder / "parts").symlink_to(elsewhere)
                model.symlink_to("parts/model.sh")
                changed, kept, target = ["set/pretrain.sh"], elsewhere / "model.sh", "parts/model.sh"
            elif what == "a link that stays":
                (folder / "parts").mkdir()
                shutil.move(model, folder / "parts/real.sh")
                model.symlink_to("parts/real.sh")
                kept, target = None, "parts/real.sh"
            elif what == "set-user-ID":
                model.chmod(0o4755)
                kept, target = None, None
            else:
                shutil.move(folder / "pretrain.sh", elsewhere / "pretrain.sh")
                (folder / "pretrain.sh").symlink_to(elsewhere / "pretrain.sh")
                changed, kept, target = ["set/model.sh"], elsewhere / "pretrain.sh", None
            before = kept.read_bytes() if kept else None
            said = self.fix()
            named = sorted(os.path.relpath(self.scratch / name, self.scratch) for name in said["changed"])
            self.checks.equal(named, changed, f"{what}: changed")
            if kept:
                self.checks.equal(kept.read_bytes(), before, f"{what}: a file elsewhere")
                self.checks.equal([str(Path(self.scratch, name).resolve()) for name in said["not_changed"]], [str(kept.resolve())], f"{what}: named")
            else:
                self.checks.equal(said["not_changed"], [], f"{what}: named")
                self.checks.expect("--num-layers 2" in model.read_text(), f"{what}: not corrected")
            if target:
                self.checks.equal(os.readlink(model), str(target), f"{what}: the link")
            if what == "set-user-ID":
                self.checks.equal(oct(model.stat().st_mode & 0o7777), "0o755", f"{what}: bits")

    def run(self, every):
        counts = self.scratch / "counts"
        done = self.start(counts=counts)
        self.checks.expect(done.returncode == 1, f"undisturbed: {done.returncode}: {done.stderr}")
        self.right = self.found()
        self.checks.equal(self.start(fresh=False).returncode, 0, "undisturbed: nothing is left to correct")
        numbers = counted(counts)
        for point in range(1, numbers["change"] + 1, every):
            where = f"killed before change {point}"
            done = self.start(f"change:kill:{point}")
            self.checks.expect(done.returncode == -9, f"{where}: ended with {done.returncode}")
            self.check_whole(where)
            self.check_again(where)
            for name, code in SIGNALS.items():
                where = f"SIG{name.upper()} at change {point}"
                done = self.start(f"change:{name}:{point}")
                self.checks.expect(done.returncode in (code, 1), f"{where}: ended with {done.returncode}: {done.stderr}")
                self.checks.expect(self.found() == (self.right if done.returncode == 1 else self.wrong), f"{where}: neither all nor nothing")
        for call, how in FAILURES:
            for point in range(1, numbers.get(call, 0) + 1, every):
                where = f"{call} {how} at {point}"
                done = self.start(f"{call}:{how}:{point}")
                self.checks.expect(done.returncode in (1, 4, 6), f"{where}: ended with {done.returncode}: {done.stderr}")
                wanted = self.right if done.returncode == 1 else self.wrong
                self.checks.equal(sorted(set(self.found().items()) ^ set(wanted.items())), [], f"{where}: neither all nor nothing")
        print(f"{numbers['change']} changes to the disk")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_args().every
    checks = Checks()
    with temporary_directory() as scratch:
        fix = Fix(checks, Path(scratch))
        fix.check_places()
        fix.run(every)
    checks.finish()


if __name__ == "__main__":
    main()
