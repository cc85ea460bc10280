"""What a migration calls ready asks nothing of CUDA: the migrated programs of all cases, on the emulated NPU.

    verdict_suite.py [--show] [NAME...]      cases to run (default: all); --show: how every program ended

A program that needs what is not installed here, or data that is not there, ends with an error of its own; what counts is
that no program that ran, however far, touched torch.cuda.
"""

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402
from patience import slowness  # noqa: E402

import suite  # noqa: E402
import worlds  # noqa: E402

GOLDEN = ROOT / "tests/golden/migrator"
SETTLED = ("ready", "nothing_found")
ASKED = re.compile(r"CUDA is touched|not compiled with CUDA|No CUDA GPUs|Found no NVIDIA driver|Attempting to deserialize object on a CUDA")
# Projects that ask all the same, each with the reason.
KNOWN = {
    "already_multi_backend": "it chooses between CUDA and the NPU by itself, and asks for CUDA first",
    "p006_device_select_then_rest": "the same",
    "i035_inline_ignore": "a comment of the user says that the line stays",
}
# Some never end, so that this is not for hangs alone: on a quiet machine.
SECONDS = 20
# So many programs of them run to their end; fewer would say that the check no longer checks.
LEAST = 40


def cases():
    return [path for folder in (GOLDEN / "cases", GOLDEN / "snippets") for path in sorted(folder.iterdir()) if (path / "in").is_dir()]


def programs_of(project, output):
    """Those that the verdict is about; all files where it is about all."""
    done = run(tool("migrator"), "analyze", project, "--json", "-q")
    report = json.loads(done.stdout)
    listed = {place for file in report["files"] for place in file.get("programs", [])}
    about = [report["programs"][place] for place in sorted(listed)]
    if any(report["summary"]["sentence"].startswith((f"{row['name']}:", f"{row['name']} ")) for row in about):
        return sorted({Path(row["path"]) for row in about if row["path"].endswith(".py")})
    return [path.relative_to(output) for path in sorted(output.rglob("*.py")) if path.is_file() and not path.is_symlink()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    checks, ready, ended = Checks(), 0, 0
    tool("migrator")
    suite.prepare()
    worlds.TIMEOUT = SECONDS * slowness()
    for case in cases():
        if options.names and case.name not in options.names:
            continue
        with temporary_directory() as work:
            project, output = Path(work) / "in", Path(work) / "out"
            shutil.copytree(case / "in", project, symlinks=True)
            if not run_ok(checks, tool("migrator"), "migrate", project, "-o", output, "--report", Path(work) / "report", "-q"):
                continue
            verdict = json.loads((Path(work) / "report/report.json").read_text())["summary"]["verdict"]
            if verdict not in SETTLED:
                continue
            ready += 1
            for program in programs_of(project, output):
                outcome = worlds.run("npu", output, str(program), variables={"EMULATED_NPU_COUNT": "2"})
                ended += outcome.ok
                asked = outcome.touched or ASKED.findall(outcome.text)
                said = f"{case.name}: {verdict}, and {program} asks for CUDA: {asked}"
                checks.expect(bool(asked) == (case.name in KNOWN), said if asked else f"{case.name} is in KNOWN without need")
                if options.show:
                    print(f"{case.name}/{program}: {outcome.codes[0]} {outcome.text.strip().splitlines()[-1:]}")
    print(f"{ready} projects are called ready, {ended} of their programs run to the end")
    if not options.names:
        checks.expect(ended >= LEAST, f"only {ended} programs run to the end")
    checks.finish()


if __name__ == "__main__":
    main()
