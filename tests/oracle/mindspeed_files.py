"""Reads what MindSpeed-LLM's convert_ckpt_v2.py wrote: tests/golden/conversion/mindspeed_written.tar.xz.

    mindspeed_files.py [NAME...]

The archive holds the Megatron directories of cases beside it, as convert_ckpt_v2.py made them from the tensors and with the
options that NAME.json names. Each must give back the bits that it was made from, alone and with the options repeated as the way
back of MindSpeed-LLM asks for them; become the same files again from one layout to another; and be the same weights for `verify`.
"""

import json
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import read_hf_directory  # noqa: E402
from conversion_cases import CASES, check_files, input_tensors, write_input  # noqa: E402

ARCHIVE = CASES / "mindspeed_written.tar.xz"


def convert(*arguments):
    return run(tool("ckpt_convert"), "-q", *arguments)


def check_way_back(checks, case, source, written, work):
    """To Hugging Face: what the files say is enough, and saying it again changes nothing."""
    for way, options in {"alone": [], "repeated": case["options"]}.items():
        back = work / way
        done = convert("--load-model-type", "mg", "--save-model-type", "hf", "--load-dir", written, "--hf-cfg-dir", source,
                       "--model-type-hf", case["model_type_hf"], "--save-dir", back, *options)
        if checks.expect(done.returncode == 0, f"mg to hf, {way}: {done.stderr}"):
            checks.expect(read_hf_directory(back) == input_tensors(case), f"mg to hf, {way}: the bits are others")


def check_case(checks, case, written, work):
    source = work / "hf"
    write_input(case, source)
    check_way_back(checks, case, source, written, work)
    again = work / "mg"
    done = convert("--load-model-type", "mg", "--save-model-type", "mg", "--load-dir", written, "--hf-cfg-dir", source,
                   "--save-dir", again, *case["options"])
    if checks.expect(done.returncode == 0, f"mg to mg: {done.stderr}"):
        check_files(checks, case, again)
    mtp = case["options"][:2] if "--mtp-num-layers" in case["options"] else []
    done = run(tool("ckpt_convert"), "verify", source, "--against", written, *mtp)
    checks.expect(done.returncode == 0 and done.stdout.startswith("the same weights: "), f"verify: {done.stdout}{done.stderr}")
    (written / "hf_config").mkdir()
    (written / "hf_config/config.json").write_bytes((source / "config.json").read_bytes())
    done = run(tool("ckpt_convert"), "--json", "inspect", written)
    found = json.loads(done.stdout)
    checks.equal((done.returncode, "not convertible" in done.stdout), (0, False), "inspect")
    checks.equal(len(found["tensors"]), sum(
        len(tensors) for models in case["files"].values() for tensors in models.values()), "inspect: tensors")


def main():
    checks = Checks()
    with temporary_directory() as directory, tarfile.open(ARCHIVE) as archive:
        archive.extractall(directory, filter="data")
        for written in sorted(Path(directory).glob("*/mg")):
            name = written.parent.name
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            before = len(checks.failures)
            case = json.loads((CASES / f"{name}.json").read_text())
            work = Path(directory) / f"{name}_work"
            work.mkdir()
            check_case(checks, case, written, work)
            checks.failures[before:] = [f"{name}: {failure}" for failure in checks.failures[before:]]
            print(f"{'ok' if len(checks.failures) == before else 'FAILED':6} {name}")
    checks.finish()


if __name__ == "__main__":
    main()
