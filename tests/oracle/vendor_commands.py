"""Gives ckpt_convert the command lines that existing scripts give to MindSpeed-LLM's converters.

    vendor_commands.py [WORD...]

tests/golden/vendor_commands.json has their option sets as data. Each is accepted, and the way there and back gives the same
bits, or refused with what the data say. With WORDs, those whose description has one of them.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import read_hf_directory  # noqa: E402
from conversion_cases import CASES, input_tensors, write_input  # noqa: E402

COMMANDS = ROOT / "tests/golden/vendor_commands.json"


def convert(*arguments):
    return run(tool("ckpt_convert"), "-q", *arguments)


def check_command(checks, command, work):
    case = json.loads((CASES / f"{command['model']}.json").read_text())
    source, megatron, back = (work / name for name in ("hf", "mg", "back"))
    write_input(case, source)
    is_back = "made_with" in command
    there = command.get("made_with", command["options"])
    done = convert("--load-dir", source, "--save-dir", megatron, *there)
    if is_back:
        checks.expect(done.returncode == 0, f"the Megatron input: {done.stderr}")
        done = convert("--load-dir", megatron, "--hf-cfg-dir", source, "--save-dir", back, *command["options"])
    if "says" in command:
        output = back if is_back else megatron
        checks.expect(done.returncode in (2, 5) and command["says"] in done.stderr and not output.exists(),
                      f"not refused with {command['says']!r}: {done.returncode} {done.stderr}")
        return
    if not checks.expect(done.returncode == 0, done.stderr):
        return
    if not is_back:
        settings = ["--add-qkv-bias", "--model-type-hf", "llama2"] if "--add-qkv-bias" in command["options"] else []
        done = convert("--load-dir", megatron, "--hf-cfg-dir", source, "--save-dir", back, *settings)
        checks.expect(done.returncode == 0, f"the way back: {done.stderr}")
    # Without --mtp-num-layers the layers for multi-token prediction are left out.
    last = case["config"]["num_hidden_layers"]
    kept = {name: tensor for name, tensor in input_tensors(case).items()
            if "--mtp-num-layers" in there or f".layers.{last}." not in name}
    checks.expect(read_hf_directory(back) == kept, "the bits are others")


def check_every_option(checks):
    """What launch --check knows of the converters, from their releases, is one of our options or has a row in rules/options."""
    rows = json.loads((ROOT / "rules/launch/options_mindspeed_llm.json").read_text())["options"]
    known = set(re.findall(r"--[a-z][\w-]*", run(tool("ckpt_convert"), "--help-all").stdout))
    known |= set(json.loads((ROOT / "rules/options/mindspeed_llm.json").read_text())["options"])
    families = [json.loads(path.read_text()) for path in (ROOT / "rules/models").glob("*.json")]
    called = {name for family in families for name in [family["family"], *family.get("peer_names", [])]}
    for program in ("convert_ckpt.py", "convert_ckpt_v2.py"):
        options = {row["name"]: row for row in rows if row.get("program") == program}
        checks.expect(len(options) > 30, f"{program}: {len(options)} options")
        checks.equal(sorted(set(options) - known), [], f"{program}: options that nothing says anything of")
        checks.equal(sorted(set(options["--model-type-hf"]["words"]) - called), [], f"{program}: families that nobody has")


def main():
    checks = Checks()
    check_every_option(checks)
    for command in json.loads(COMMANDS.read_text())["commands"]:
        if sys.argv[1:] and not any(word in command["of"] for word in sys.argv[1:]):
            continue
        before = len(checks.failures)
        with temporary_directory() as directory:
            check_command(checks, command, Path(directory))
        checks.failures[before:] = [f"{command['of']}: {failure}" for failure in checks.failures[before:]]
    checks.finish()


if __name__ == "__main__":
    main()
