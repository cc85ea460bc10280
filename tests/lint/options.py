"""Looks up the options that the documents name: each is one of our programs, or one of another program in FOREIGN."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool, tracked_files  # noqa: E402
from docs import FENCE  # noqa: E402
from patience import patience  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
INLINE = re.compile(r"`([^`\n]*)`")
COMMANDS = re.compile(r"^Subcommands:\n((?:  .*\n)+)", re.M)
# What the documents say of other programs: Megatron and MindSpeed-LLM, their converters, torchrun, hf, cmake, sha256sum, scripts of
# users and of the tests.
FOREIGN = {
    "--build", "--cvt-type", "--ddp-bucket-size", "--device", "--dist-ckpt-optim-fully-reshardable", "--distributed-backend", "--enable-hf2mg-convert",
    "--every", "--ignore-missing", "--install", "--kills", "--load-format", "--local-dir", "--local_dir", "--lr", "--mg-dir", "--model-config-file", "--no-load-rng", "--orm", "--output-prefix", "--override-opt_param-scheduler",
    "--nproc_per_node", "--overlap-grad-reduce", "--prefix", "--preset", "--qlora-nf4", "--races", "--save-to-legacy", "--stage", "--tensor-parallel-size", "--use-checkpoint-args", "--use-distributed-optimizer",
    "--use-legacy-models",
}
# About the build and the tests, or written from tables that have the options of the older tool.
NOT_OURS = {"CONTRIBUTING.md", "docs/architecture.md", "docs/release-checklist.md", "docs/reference/coverage.md",
            "docs/reference/models.md", "docs/reference/verified.md"}


def help_of(command):
    """What a program says of itself, and of the commands that it lists."""
    texts = [subprocess.run([*command, flag], capture_output=True, text=True, timeout=patience(60)).stdout for flag in ("--help", "--help-all")]
    listed = COMMANDS.search(texts[0])
    for name in re.findall(r"^  (\w[\w-]*)", listed.group(1), re.M) if listed and len(command) < 3 else []:
        texts.append(help_of([*command, name]))
    return "\n".join(texts)


def main():
    checks = Checks()
    known = {option for name in ("migrator", "ckpt_convert") for option in OPTION.findall(help_of([tool(name)]))}
    checks.expect({"--style", "--show-plan", "--baseline"} <= known, "the options of the programs could not be read from their help")
    for name in tracked_files():
        if not name.endswith(".md") or not (name.startswith("docs/") or "/" not in name) or name in NOT_OURS:
            continue
        text = FENCE.sub("", (ROOT / name).read_text(encoding="utf-8"))
        for option in sorted({option for code in INLINE.findall(text) for option in OPTION.findall(code)}):
            checks.expect(option in known | FOREIGN, f"{name}: {option} is not an option of migrator or ckpt_convert; is it another program's?")
    checks.finish()


if __name__ == "__main__":
    main()
