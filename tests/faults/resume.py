"""A conversion with --resume that is interrupted anywhere goes on, and ends with what an undisturbed one writes.

    resume.py [--every N]     every N-th changing call (default: 30; 1 is all of them)
"""

import argparse
import json
import os
import random
import re
import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, temporary_directory, tool  # noqa: E402
from injector import Injector, counted  # noqa: E402

# Four pipeline stages, of which each has files that are finished long before the last.
OPTIONS = ["--tp", "2", "--pp", "4", "--no-progress", "-j", "1", "--json"]
FILES = 8


def content(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


class Resumed:
    def __init__(self, checks, scratch):
        self.checks, self.scratch = checks, scratch
        make_tiny(checks, "qwen3", scratch / "hf")
        self.injector = Injector(scratch)
        counts = scratch / "counts"
        done = self.convert("whole", counts=counts)
        checks.expect(done.returncode == 0, done.stderr)
        self.whole = content(scratch / "whole")
        self.changes = counted(counts)["change"]

    def convert(self, out, *options, fault="", counts="", source="hf"):
        command = [tool("ckpt_convert"), "--load-dir", source, "--save-dir", out, *OPTIONS, *options]
        return self.injector.run(command, self.scratch, fault, counts)

    def interrupted(self, out, fault, *options):
        shutil.rmtree(self.scratch / out, ignore_errors=True)
        return self.convert(out, *options, fault=fault)

    def finished(self, out):
        """What the journal says is finished: the path of the file, below where it is now."""
        journal = self.scratch / out / ".ckpt_convert.run"
        lines = journal.read_text(errors="replace").split("\n")[:-1] if journal.exists() else []
        staging = next((line.split(" ", 1)[1] for line in lines if line.startswith("staging ")), "")
        entries = [json.loads(line.split(" ", 1)[1]) for line in lines if line.startswith("finished ")]
        return [self.scratch / out / staging / entry["file"]["path"] for entry in entries]

    def goes_on(self, out, where, least, most=None):
        """The number of files that were reused."""
        done = self.convert(out, "--resume")
        if not self.checks.expect(done.returncode == 0, f"{where}: the run again ended with {done.returncode}: {done.stderr}"):
            return 0
        summary = json.loads(done.stdout.splitlines()[-1])
        reused = summary["files_reused"]
        self.checks.expect(least <= reused <= (least if most is None else most), f"{where}: reused {reused}, wanted {least}")
        self.checks.expect(content(self.scratch / out) == self.whole, f"{where}: not the output of an undisturbed run")
        return reused

    def killed_anywhere(self, every):
        """Also while it goes on: the second run is killed too."""
        most = 0
        for point in sorted(set(range(1, self.changes, every)) | set(range(self.changes - 3, self.changes + 1))):
            where = f"killed before change {point}"
            self.interrupted("out", f"change:kill:{point}", *(["--resume"] if point % 2 else []))
            finished = len(self.finished("out"))
            again = self.convert("out", "--resume", fault=f"change:kill:{1 + point // 3}")
            if again.returncode == 0:
                self.checks.expect(content(self.scratch / "out") == self.whole, f"{where}: the run again made another output")
                continue
            most = max(most, self.goes_on("out", where, 0 if finished in (0, FILES) else finished, FILES))
        self.checks.expect(most >= FILES - 2, f"at most {most} of {FILES} files were reused")

    def killed_in_the_middle(self):
        """Four files are finished."""
        for point in range(1, self.changes):
            self.interrupted("out", f"change:kill:{point}")
            if len(self.finished("out")) == FILES // 2:
                return point
        raise AssertionError("no run finished half of its files")

    def proven_only(self, point):
        """What is damaged is written again, whatever it is now."""
        def flip(path):
            data = bytearray(path.read_bytes())
            data[random.Random(3).randrange(len(data))] ^= 4
            path.write_bytes(data)

        def replace(make):
            def change(path):
                path.unlink()
                make(path)
            return change

        damages = {"a flipped bit": flip, "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
                   "longer": lambda path: path.write_bytes(path.read_bytes() + b"0"), "gone": lambda path: path.unlink(),
                   "a link": replace(lambda path: path.symlink_to(self.scratch / "elsewhere")), "a pipe": replace(os.mkfifo),
                   "a directory": replace(lambda path: path.mkdir())}
        for name, damage in damages.items():
            self.interrupted("out", f"change:kill:{point}")
            path = self.finished("out")[1]
            shutil.copy(path, self.scratch / "elsewhere")
            kept = (self.scratch / "elsewhere").read_bytes()
            damage(path)
            self.goes_on("out", f"{name} in place of a finished file", FILES // 2 - 1)
            self.checks.expect((self.scratch / "elsewhere").read_bytes() == kept, f"{name}: written through a link")
        self.interrupted("out", f"change:kill:{point}")
        (self.finished("out")[0].parent / "of_nobody").write_text("")
        self.goes_on("out", "a file of nobody beside the finished ones", FILES // 2)

    def other_conversions(self, point):
        """Nothing of them is used, and nothing that is worth hours is removed unasked."""
        self.interrupted("out", f"change:kill:{point}")
        before = content(self.scratch / "out")
        done = self.convert("out", "--resume", "--iteration", "7")
        self.checks.equal(done.returncode, 2, f"another iteration: {done.stderr}")
        self.checks.expect("another conversion" in done.stderr, done.stderr)
        self.checks.expect(content(self.scratch / "out") == before, "a refused --resume changed the output")
        shutil.copytree(self.scratch / "hf", self.scratch / "hf2")
        done = self.convert("out", "--resume", source="hf2")
        self.checks.equal(done.returncode, 2, f"another input: {done.stderr}")
        done = self.convert("out")
        self.checks.expect(done.returncode == 0 and "removed" in done.stdout, f"without --resume: {done.stderr}{done.stdout}")
        self.checks.expect(content(self.scratch / "out") == self.whole, "without --resume: another output")

    def signals_and_faults(self, point):
        """With --resume, what is finished stays, and the message says so; without, nothing does."""
        for fault, code in ((f"change:int:{point}", 130), (f"change:term:{point}", 143), (f"change:hup:{point}", 129),
                            (f"change:28:{point}", 6)):
            done = self.interrupted("out", fault, "--resume")
            self.checks.equal(done.returncode, code, f"{fault}: {done.stderr}")
            staged = {path for path in (self.scratch / "out").glob(".unfinished-*/**/*") if path.is_file()}
            said = re.search(r"(\d+) files \([^)]*\) are finished and stay", done.stderr)
            self.checks.expect(said and int(said.group(1)) == len(staged) > 0, f"{fault}: {len(staged)}, {done.stderr}")
            # The last line of the journal may be one that could not be brought to the disk.
            self.checks.expect(staged <= set(self.finished("out")), f"{fault}: what stays: {staged}")
            self.goes_on("out", fault, len(staged))
            done = self.interrupted("out", fault)
            self.checks.expect(done.returncode == code and not (self.scratch / "out").exists(), f"{fault}, without --resume")

    def interrupted_while_proving(self, point):
        """What an earlier run has finished stays, however far the next one has come with reading it."""
        self.interrupted("out", f"change:kill:{point}")
        shutil.copytree(self.scratch / "out", self.scratch / "before")
        counts = self.scratch / "counts"
        self.convert("out", "--resume", counts=counts)
        reads = counted(counts)["pread"]
        for read in range(1, reads, max(1, reads // 24)):
            for what, code in (("term", 143), ("5", 4)):
                shutil.rmtree(self.scratch / "out")
                shutil.copytree(self.scratch / "before", self.scratch / "out")
                finished = set(self.finished("out"))
                done = self.convert("out", "--resume", fault=f"pread:{what}:{read}")
                where = f"pread {what} at {read}"
                if done.returncode == 0:  # it came when all was written
                    self.checks.expect(content(self.scratch / "out") == self.whole, f"{where}: not the whole output")
                    continue
                self.checks.equal(done.returncode, code, f"{where}: {done.stderr}")
                self.checks.expect(all(path.exists() for path in finished), f"{where}: a finished file is gone: {done.stderr}")

    def losses_are_told(self):
        """What a cast lost in a file that is reused."""
        name = "model.layers.0.mlp.down_proj.weight"
        index = json.loads((self.scratch / "hf/model.safetensors.index.json").read_text())
        path = self.scratch / "hf" / index["weight_map"][name]
        data = bytearray(path.read_bytes())
        header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        at = 8 + struct.unpack("<Q", data[:8])[0] + header[name]["data_offsets"][0]
        data[at:at + 2] = b"\x7f\x7f"  # 3.4e38 in bf16, infinite in fp16
        path.write_bytes(data)
        fp16 = ["--params-dtype", "fp16"]
        notes = lambda done: [note for note in json.loads(done.stdout.splitlines()[-1])["notes"] if "infinite" in note]
        wanted = notes(self.interrupted("other", "", *fp16))
        self.checks.expect(len(wanted) == 1 and "mlp.down" in wanted[0], f"no loss: {wanted}")
        for point in range(1, self.changes):
            self.interrupted("other", f"change:kill:{point}", *fp16)
            if len(self.finished("other")) == FILES // 2:
                break
        done = self.convert("other", "--resume", *fp16)
        self.checks.expect(done.returncode == 0, done.stderr)
        self.checks.equal(notes(done), wanted, "losses in files that are reused")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=30)
    options = parser.parse_args()
    checks = Checks()
    with temporary_directory() as scratch:
        resumed = Resumed(checks, Path(scratch))
        resumed.killed_anywhere(options.every)
        point = resumed.killed_in_the_middle()
        resumed.proven_only(point)
        resumed.other_conversions(point)
        resumed.signals_and_faults(point)
        resumed.interrupted_while_proving(point)
        resumed.losses_are_told()
    checks.finish()


if __name__ == "__main__":
    main()
