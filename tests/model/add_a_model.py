"""Follows docs/guides/add-a-model.md: a person who has only this page must get a new family to work.

The blocks of the page with the name wombat are taken in their order, in one directory. A block of ```json wombat PATH is written to PATH;
of a block of ```console wombat every command is run, and its output compared, as in tests/lint/docs.py. The directory has the
checkpoint Wombat, whose tensors the page lists, and in project/ what a contribution changes or is checked by.
"""

import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "lint")]
from checks import ROOT, Checks, run, temporary_directory, tool, tracked_files  # noqa: E402
from checkpoints import crc_filled, write_safetensors  # noqa: E402
from docs import run_block  # noqa: E402

PAGE = "docs/guides/add-a-model.md"
BLOCK = re.compile(r"^```(json|console) wombat(?: (\S+))?\n(.*?)^```$", re.M | re.S)
PROJECT = ("rules/", "docs/reference/", "tests/golden/conversion/", "tests/lint/", "tests/model/", "tests/oracle/megatron/", "tests/support/")


def tensors():
    """The tensors of the checkpoint: of a layer without experts, and of one with them."""
    shapes = {"model.embed_tokens.weight": [32, 16]}
    for layer in range(2):
        shapes.update({f"model.layers.{layer}.{name}.weight": shape for name, shape in {
            "input_layernorm": [16], "self_attn.q_proj": [16, 16], "self_attn.k_proj": [8, 16], "self_attn.v_proj": [8, 16],
            "self_attn.o_proj": [16, 16], "post_attn_norm": [16], "ffn_norm": [16]}.items()})
        if layer == 0:
            shapes.update({f"model.layers.0.mlp.{name}_proj.weight": shape
                           for name, shape in {"gate": [24, 16], "up": [24, 16], "down": [16, 24]}.items()})
        else:
            shapes["model.layers.1.moe.router.weight"] = [4, 16]
            shapes.update({f"model.layers.1.moe.bank.{expert}.w_{name}": shape for expert in range(4)
                           for name, shape in {"gate": [8, 16], "up": [8, 16], "down": [16, 8]}.items()})
        shapes[f"model.layers.{layer}.post_ffn_norm.weight"] = [16]
    return {**shapes, "model.norm.weight": [16], "lm_head.weight": [32, 16]}


def prepare(checks, directory):
    (directory / "Wombat").mkdir()
    write_safetensors(directory / "Wombat/model.safetensors", {name: crc_filled(name, shape) for name, shape in tensors().items()})
    for name in tracked_files():
        if name.startswith(PROJECT):
            (directory / "project" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, directory / "project" / name)
    checks.equal(run("git", "init", "-q", directory / "project").returncode, 0, "git init, for lints that ask git for the files")


def main():
    checks = Checks()
    tool("ckpt_convert")
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    with temporary_directory() as name:
        directory = Path(name)
        prepare(checks, directory)
        for match in BLOCK.finditer(text):
            language, path, block = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if language == "json":
                json.loads(block)
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (directory / path).write_text(block, encoding="utf-8")
            else:
                run_block(checks, f"{PAGE}:{line}", block, directory)
        case = directory / "project/rules/models/cases/wombat.json"
        if checks.expect(case.exists(), "the page writes no case"):
            checks.equal(json.loads(case.read_text())["layers"], ["experts"], "layers of the case")
        family = directory / "project/rules/models/wombat.json"
        checks.equal(family.read_text(), (directory / "my_rules/models/wombat.json").read_text(), "the layout of the family's file")
    checks.finish()


if __name__ == "__main__":
    main()
