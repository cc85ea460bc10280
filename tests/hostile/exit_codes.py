"""Every example that docs/reference/exit-codes.md gives for a code ends with it, and says why in one line.

    exit_codes.py [WORDS]     the examples that have these words
"""

import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "golden/profiles")]
import wrong  # noqa: E402
from checks import ROOT, Checks, make_tiny, run, run_ok, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

PAGE = ROOT / "docs/reference/exit-codes.md"
EXAMPLES = []  # (code, words of the page, function)
SOURCE = "import torch\n\nx = torch.zeros(1).cuda()\n"
RULE = {"schema": "rules/1", "rules": [{"id": "house.x", "severity": "warning", "kind": "api", "names": ["house.x"], "message": "Not here."}]}


def example(code, words):
    def keep(function):
        EXAMPLES.append((code, words, function))
        return function
    return keep


def project(work, source=SOURCE):
    (work / "p").mkdir()
    (work / "p/train.py").write_text(source)


def trace(work, name="t.json", scale=1):
    events = [{"ph": "X", "name": f"k{i}", "cat": "kernel", "pid": 0, "tid": 7, "ts": i * 100, "dur": 50 * scale} for i in range(20)]
    (work / name).write_text(json.dumps({"traceEvents": events}))


def checkpoint(work, name="hf"):
    make_tiny(Checks(), "qwen3", work / name)


def settings_of(work, **changes):
    path = work / "hf/config.json"
    settings = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not None}))


def rules(work, text):
    (work / "rules").mkdir()
    (work / "rules/house.json").write_text(text)


@example(1, "`migrator`: there are findings at or above the severity of `--fail-on`")
def findings(work):
    project(work)
    return ["migrator", "analyze", "p", "--fail-on", "info"]


@example(1, ", or `--check` found something to change")
def something_to_change(work):
    project(work)
    return ["migrator", "migrate", "p", "--check"]


@example(1, "`migrator compare`: a part takes longer than `--fail-over` allows")
def slower(work):
    trace(work)
    trace(work, "slow.json", 2)
    return ["migrator", "compare", "t.json", "slow.json", "--fail-over", "5%"]


@example(1, "`ckpt_convert verify`: something differs")
def differs(work):
    checkpoint(work)
    shutil.copytree(work / "hf", work / "other")
    flip(work / "other")
    return ["ckpt_convert", "verify", "hf", "--against", "other"]


def flip(directory):
    """Another value in the last tensor of the last file."""
    path = sorted(directory.glob("*.safetensors"))[-1]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@example(1, ", or a checksum does not match")
def checksum(work):
    checkpoint(work)
    run_ok(Checks(), tool("ckpt_convert"), work / "hf", work / "mg", "--tp", "2")
    run_ok(Checks(), tool("ckpt_convert"), work / "mg", work / "back", "--hf-cfg-dir", work / "hf")
    flip(work / "back")
    return ["ckpt_convert", "verify", "back"]


@example(1, "`ckpt_convert launch --check`: an error or a warning was found")
def script(work):
    (work / "train.sh").write_text("torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 3 --num-attention-heads 8\n")
    return ["ckpt_convert", "launch", "--check", "train.sh"]


@example(1, "or a script that it sources or starts could not be read")
def unread_script(work):
    (work / "train.sh").write_text("source ./not_here.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --num-attention-heads 8\n")
    return ["ckpt_convert", "launch", "--check", "train.sh"]


@example(2, "unknown option or setting")
def option(work):
    project(work)
    return ["migrator", "analyze", "p", "--no-such-option"]


@example(2, "unknown option or setting")
def setting(work):
    project(work)
    (work / "p/pyproject.toml").write_text("[tool.migrator]\nno_such_setting = 1\n")
    return ["migrator", "analyze", "p"]


@example(2, "an empty path or value")
def empty(work):
    checkpoint(work)
    return ["ckpt_convert", "verify", "hf", ""]


@example(2, "a tensor parallel size that does not divide the attention heads")
def heads(work):
    checkpoint(work)
    return ["ckpt_convert", "hf", "mg", "--tp", "3"]


@example(2, "an output directory that is not empty")
def not_empty(work):
    checkpoint(work)
    (work / "mg").mkdir()
    (work / "mg/mine").write_text("")
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


@example(3, "unknown key")
def unknown_key(work):
    project(work)
    rules(work, json.dumps({**RULE, "no_such_key": 1}))
    return ["migrator", "analyze", "p", "--rules", "rules"]


@example(3, ", duplicate key")
def duplicate_key(work):
    project(work)
    rules(work, json.dumps(RULE)[:-1] + ', "schema": "rules/1"}')
    return ["migrator", "analyze", "p", "--rules", "rules"]


@example(3, ", a name that is used but not defined")
def undefined(work):
    checkpoint(work)
    (work / "rules/models").mkdir(parents=True)
    mapping = json.loads((ROOT / "rules/models/qwen3.json").read_text())
    mapping["include"] = ["blocks/no_such_block.json"]
    (work / "rules/models/qwen3.json").write_text(json.dumps(mapping))
    return ["ckpt_convert", "hf", "mg", "--rules", "rules"]


@example(3, "`migrator rules check`")
def rules_check(work):
    rules(work, json.dumps({**RULE, "no_such_key": 1}))
    return ["migrator", "rules", "check", "rules"]


@example(3, " or `rules test` found something")
def rules_test(work):
    run_ok(Checks(), tool("migrator"), "rules", "new", "rules/house.json", cwd=work)
    case = next(path for path in sorted((work / "rules").rglob("*")) if path.suffix == ".py")
    case.write_text("import json\n")
    return ["migrator", "rules", "test", "rules"]


@example(4, "missing path")
def missing(work):
    return ["migrator", "analyze", "nowhere"]


@example(4, ", truncated safetensors file")
def truncated(work):
    checkpoint(work)
    path = sorted((work / "hf").glob("*.safetensors"))[0]
    path.write_bytes(path.read_bytes()[:-1])
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


@example(4, ", an index that names a missing shard")
def missing_shard(work):
    checkpoint(work)
    path = next((work / "hf").glob("*.safetensors"))
    with path.open("rb") as file:
        names = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    names.pop("__metadata__", None)
    shards = {name: path.name if at else "model-00009.safetensors" for at, name in enumerate(sorted(names))}
    (work / "hf/model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shards}))
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


@example(4, ", `config.json` without a needed key")
def missing_value(work):
    checkpoint(work)
    settings_of(work, num_attention_heads=None)
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


def reported(work):
    project(work)
    run_ok(Checks(), tool("migrator"), "analyze", "p", "--report", "report", "-q", cwd=work)


@example(4, "`migrator apply`")
def applied_too_late(work):
    reported(work)
    (work / "p/train.py").write_text(SOURCE + "# mine\n")
    return ["migrator", "apply", "report/report.json", "--in-place"]


@example(4, " and `undo`: a source that has changed since")
def undone_too_late(work):
    reported(work)
    run_ok(Checks(), tool("migrator"), "apply", "report/report.json", "--in-place", cwd=work)
    (work / "p/train.py").write_text("# mine\n")
    return ["migrator", "undo", "report/applied"]


@example(4, "`migrator compare`")
def cut_off_of_two(work):
    trace(work)
    (work / "cut.json").write_text((work / "t.json").read_text()[:-40])
    return ["migrator", "compare", "t.json", "cut.json"]


@example(4, " and `profile`: a profile that is cut off")
def cut_off(work):
    trace(work)
    (work / "cut.json").write_text((work / "t.json").read_text()[:-40])
    return ["migrator", "profile", "cut.json"]


@example(4, " or a rank that is missing, of which what is whole was printed")
def missing_rank(work):
    wrong.write(wrong.MADE, work / "ranks")
    wrong.world(work / "ranks")
    return ["migrator", "profile", "ranks"]


@example(5, "a model family without a mapping")
def family(work):
    checkpoint(work)
    settings_of(work, model_type="nobody_knows", architectures=["NobodyKnows"])
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


@example(5, ", a pickle that names a function outside the short list")
def pickle(work):
    checkpoint(work)
    run_ok(Checks(), tool("ckpt_convert"), work / "hf", work / "mg", "--tp", "1")
    (work / "evil.pt").write_bytes(b"\x80\x02cposix\nsystem\nX\x04\0\0\0true\x85R.")
    return ["ckpt_convert", "inspect", "evil.pt"]


@example(5, "GGUF")
def gguf(work):
    (work / "hf").mkdir()
    (work / "hf/model.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    return ["ckpt_convert", "hf", "mg"]


@example(5, ", GPTQ and other formats that are not read")
def gptq(work):
    checkpoint(work)
    settings_of(work, quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 128})
    return ["ckpt_convert", "hf", "mg", "--tp", "2"]


@example(5, "a script that `--distributed`")
def distributed(work):
    project(work)
    return ["migrator", "migrate", "p", "-o", "out", "--distributed", "train.py"]


@example(5, " or `--instrument` does not support")
def instrumented(work):
    project(work)
    return ["migrator", "migrate", "p", "-o", "out", "--instrument", "profiler"]


@example(6, "disk full")
def full(work):
    checkpoint(work)
    return ["bounded", "ckpt_convert", "hf", "mg", "--tp", "2"]


@example(6, ", no permission")
def forbidden(work):
    checkpoint(work)
    return ["nobody", "ckpt_convert", "hf", "closed/mg", "--tp", "2"]


@example(6, "also for standard output, unless its reader went away (141)")
def full_output(work):
    return ["full", "migrator", "rules", "list"]


def limited_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def ended(command, work):
    """The command in the folder; its first word may say what it lacks."""
    lacks = command[0] if command[0] in ("bounded", "nobody", "full") else ""
    words = command[1:] if lacks else command
    output = open("/dev/full", "w") if lacks == "full" else subprocess.PIPE
    started = {"bounded": {"preexec_fn": limited_files}, "nobody": {"user": 65534, "group": 65534, "extra_groups": []}}.get(lacks, {})
    if lacks == "nobody":
        (work / "closed").mkdir(mode=0o755)
        if os.geteuid() != 0:
            (work / "closed").chmod(0o555)
            started = {}
        subprocess.run(["chmod", "-R", "a+rX", work], check=True)
    return subprocess.run([tool(words[0]), *words[1:]], cwd=work, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True,
                          timeout=patience(60), **started)


def check_example(checks, code, words, prepare):
    with temporary_directory() as directory:
        work = Path(directory)
        command = prepare(work)
        done = ended(command, work)
        where = f"{code}, {words.strip(', ')}: `{' '.join(command)}`"
        checks.equal(done.returncode, code, f"{where} said {done.stderr[-300:]!r}")
        # Of a profile that is not whole, what there is was printed, so that this is a warning; found in rules is a list.
        kind = "warning" if code == 4 and command[1] in ("profile", "compare") else "error"
        lines = [line for line in done.stderr.splitlines() if f": {kind}: " in line]
        is_told = code != 1 and command[1:3] not in (["rules", "check"], ["rules", "test"])
        checks.equal(len(lines), 1 if is_told else 0, f"{where} said {done.stderr[-300:]!r}")


def files_stay(checks):
    """What was written before standard output turned out to be full is complete."""
    with temporary_directory() as directory:
        work = Path(directory)
        checkpoint(work)
        run_ok(checks, tool("ckpt_convert"), "hf", "mg", "--tp", "2", cwd=work)
        done = ended(["full", "ckpt_convert", "hf", "mg_full", "--tp", "2"], work)
        checks.equal(done.returncode, 6, f"a conversion into a full output: {done.stderr}")
        whole, full = ({path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()} for root in (work / "mg", work / "mg_full"))
        checks.equal(sorted(full), sorted(whole), "the files of a conversion into a full output")
        checks.expect(full == whole, "a file of a conversion into a full output is another one")


def rows():
    """By code: its meaning and its examples on the page."""
    return {int(code): rest for code, rest in re.findall(r"^\| (\d+) \| (.*) \| [^|]* \|$", PAGE.read_text(), re.M)}


def main():
    checks, chosen = Checks(), " ".join(sys.argv[1:])
    for code, words, prepare in EXAMPLES:
        if chosen in words:
            check_example(checks, code, words, prepare)
    if not chosen:
        files_stay(checks)
        left = rows()
        for code, words, _ in EXAMPLES:
            checks.expect(words in rows()[code], f"{PAGE.name}: {code} does not say {words!r}")
            left[code] = left[code].replace(words, "")
        for code in sorted({code for code, *_ in EXAMPLES}):
            cell = left[code].split(" | ")[0 if code == 1 else 1].removesuffix(" |")
            checks.expect(re.fullmatch(r"[;, ]*", cell), f"{PAGE.name}: {code} has an example without a run: {cell!r}")
    checks.finish()


if __name__ == "__main__":
    main()
