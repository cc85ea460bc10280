"""What the converter can do today, asked of the converter itself, so that checks of new abilities switch on by themselves."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import run, tool  # noqa: E402

USAGE, UNSUPPORTED = 2, 5  # exit codes that say "not with this program"


class Abilities:
    def __init__(self, release):
        """`release`: the version of megatron-core that reads what the converter writes."""
        self.convert = tool("ckpt_convert")
        self.help = run(self.convert, "--help").stdout
        listed = run(self.convert, "--json", "models")
        self.model_types = set(find_model_types(json.loads(listed.stdout))) if listed.returncode == 0 else set()
        self.padding = "--make-vocab-size-divisible-by" in self.help and "--true-vocab-size" in self.help
        self.torch_dist = "--ckpt-format" in self.help and "torch_dist" in self.help
        # For Megatron itself; without it the converter writes for MindSpeed-LLM, which differs in trifles.
        self.for_megatron = ["--target", f"mcore@{release}"] if "--target " in self.help else []

    def reshapes(self, megatron):
        """Whether one Megatron checkpoint can be made from another: a dry run with a real one tells."""
        done = run(self.convert, "--load-dir", megatron, "--save-dir", f"{megatron}_never_written", "--save-model-type", "mg",
                   "--tp", 1, "--pp", 1, "--dry-run")
        return done.returncode not in (USAGE, UNSUPPORTED)


def find_model_types(value):
    """All strings below a key model_types, wherever it stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "model_types":
                yield from inner
            else:
                yield from find_model_types(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from find_model_types(inner)
