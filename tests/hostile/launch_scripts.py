"""`ckpt_convert launch --check` on scripts that nobody writes: random changes of real ones, and shapes that grow. It says what is wrong,
and neither dies nor runs without end.

    launch_scripts.py [--changes N]     (default 30)
"""

import argparse
import json
import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

PIECES = ("$(", "${", "}", ")", '"', "'", "\\\n", "<<EOF\n", "EOF\n", "`", "$((", "))", "${X[@]}", "${X:-", "#", "(", ";", "|", "&&", "source x.sh\n", "for i in",
          "done", "case x in", "f() {", "\r\n", "\xff", "$1", "$@", "${#X}", "${X//a/b}", "+=(", "torchrun ", "pretrain_gpt.py ", "--load ", "${X:-" * 200, "(" * 500)
START = "torchrun pretrain_gpt.py "
# Keys and values of which nothing is there.
SETTINGS = ["training:\n: sft\n  stage: [pt,,]\n", "training:\n- \n  -\n", ":\n: :\n-\n", "parallel:\n  fsdp_modules: [,]\n  fsdp_size: # none\n"]
SIZE = 2000 if os.environ.get("MIGRATION_SANITIZE") else 20000


def shapes(n):
    yield "options", START + " ".join(f"--lr {i}" for i in range(n)) + "\n"
    yield "unknown options", START + " ".join(f"--no-such-{i}" for i in range(n)) + "\n"
    yield "defaults in defaults", "X=" + "${A:-" * n + "1" + "}" * n + f"\n{START}--lr $X\n"
    yield "arithmetic", "X=$((" + "(" * n + "1" + ")" * n + f"))\n{START}--lr $X\n"
    yield "commands in commands", "X=" + "$(" * n + "echo" + ")" * n + f"\n{START}--lr $X\n"
    yield "programs", f"{START}--lr 1\n" * n
    yield "a value that doubles", 'A=x\n' + 'A="$A$A"\n' * 64 + f"{START}--load $A\n"
    yield "a value that grows", 'A=""\n' + 'A="$A --lr 1"\n' * n + f"{START}$A\n"
    yield "a list that grows", "A=()\n" + 'A=("${A[@]}" --lr 1)\n' * n + START + '"${A[@]}"\n'
    yield "one word of many variables", "A=x\n" + START + "--load " + "$A" * n + "\n"
    yield "variables without a value", START + " ".join(f"--lr $V{i}" for i in range(n)) + "\n"
    yield "scripts that are not there", "".join(f"source x{i}.sh\nsource $Y{i}\n" for i in range(n // 4)) + START + "$A\n"
    yield "backslashes", START + "\\ " * n + "\n"
    yield "logs", "".join(f"mkdir -p d{i}\nx | tee e{i}/f\n" for i in range(n // 4)) + START + "\n"


def changed(text, rng):
    for _ in range(rng.randint(1, 12)):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randint(0, 40))
        kind = rng.random()
        if kind < 0.5:
            text = text[:begin] + rng.choice(PIECES) + text[begin:]
        elif kind < 0.8:
            text = text[:begin] + text[end:]
        else:
            text = text[:begin] + text[begin:end] * rng.randint(2, 5) + text[end:]
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--changes", type=int, default=30)
    changes = parser.parse_args().changes
    checks = Checks()
    rng = random.Random(1)
    with temporary_directory() as directory:
        work = Path(directory)
        run(sys.executable, ROOT / "samples/checkpoints/make_tiny.py", "qwen3", work / "hf")
        done = run(tool("ckpt_convert"), "launch", work / "hf", work / "set", "--target", "mindspeed-llm", "--devices", "8", "--tp", "2")
        checks.expect(done.returncode == 0, done.stderr)
        texts = [(work / "set" / name).read_text() for name in ("pretrain.sh", "model.sh", "environment.sh")] + [(ROOT / "tests/model/by_hand/pretrain.sh").read_text()]

        def check(what, text, *words):
            script = work / "set/changed.sh"
            script.write_bytes(text.encode("utf-8", "surrogateescape"))
            done = run(tool("ckpt_convert"), "launch", "--check", script, "--model", work / "hf", "--json", *words, seconds=120)
            checks.expect(done.returncode in (0, 1, 2, 4, 5), f"{what}: exit code {done.returncode}: {done.stderr[-300:]}: {text[:300]}")

        # What a script sources counts as its own, but for those that rules/launch names: CANN's sets much and says nothing of the job.
        for name, found in (("set_env.sh", 0), ("extra.sh", 1)):
            (work / "set" / name).write_text("export NCCL_IB_HCA=mlx5\n")
            (work / "set/sources.sh").write_text(texts[0].replace("\nsource ", f'\nsource "$HERE/{name}"\nsource ', 1))
            done = run(tool("ckpt_convert"), "launch", "--check", work / "set/sources.sh", "--model", work / "hf", "--json")
            findings = [item["what"] for item in json.loads(done.stdout)["findings"]]
            checks.equal(sum("NCCL_IB_HCA" in what for what in findings), found, f"{name}: {findings}")
        for number in range(changes):
            check(f"change {number}", changed(rng.choice(texts), rng), *(["--fix"] if number % 5 == 0 else []))
        for what, text in shapes(SIZE):
            check(what, text)
        for text in SETTINGS:
            settings = work / "set/settings.yaml"
            settings.write_text(text)
            done = run(tool("ckpt_convert"), "launch", "--check", settings, "--model", work / "hf", "--json")
            found = json.loads(done.stdout)["findings"] if done.returncode in (0, 1) else []
            outside = [item for item in found if not 1 <= item["line"] <= text.count("\n") or item["what"].endswith("know ")]
            checks.expect(done.returncode in (0, 1) and not outside, f"{text!r}: outside of the file: {outside or done.stderr}")
        shutil.rmtree(work / "set")
    checks.finish()


if __name__ == "__main__":
    main()
