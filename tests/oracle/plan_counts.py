"""The parameters that a plan counts are those of transformers, for the config that each of its model types has by itself: tensors of
checkpoints, so that biases of routers count, which are buffers there. Every plan adds up.

    plan_counts.py [TYPE...]
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
from transformers import CONFIG_MAPPING, AutoModelForCausalLM  # noqa: E402

TYPES = ("llama4_text", "gemma2", "gemma3_text", "phi3", "phimoe", "glm4", "glm4_moe_lite", "qwen3_next", "ministral3", "deepseek_v2", "deepseek_v3",
         "deepseek_v32", "minimax_m2", "ernie4_5_moe", "seed_oss", "olmoe", "nemotron_h", "falcon_h1", "gpt_oss", "mamba2", "starcoder2", "exaone4",
         "exaone_moe", "smollm3", "qwen2_moe", "mixtral", "bloom", "gpt2", "glm_moe_dsa", "hy_v3", "qwen3_5_moe_text")
LINES = ("weights", "gradients", "optimizer", "activations", "working", "buffers")


def tensors_of(model):
    """Parameters and what is saved next to them; tied ones once."""
    seen = {id(value): value.numel() for value in model.parameters()}
    for module in model.modules():
        kept = (value for name, value in module._buffers.items() if value is not None and name not in module._non_persistent_buffers_set)
        seen.update((id(value), value.numel()) for value in kept)
    return sum(seen.values())


def check_type(checks, kind, folder):
    config = CONFIG_MAPPING[kind]()
    with torch.device("meta"):
        count = tensors_of(AutoModelForCausalLM.from_config(config))
    config.save_pretrained(folder / kind)
    for words in (["--device", "h100", "--engine", "megatron", "--devices", "512"], ["--device", "a2", "--engine", "fsdp2", "--devices", "64"]):
        command = [str(tool("ckpt_convert")), "plan", str(folder / kind), "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if not checks.expect(done.returncode in (0, 1), f"{kind} {words}: {done.stderr}"):
            continue
        plan = json.loads(done.stdout)
        checks.equal(plan["parameters"], count, f"{kind}: parameters")
        for stage in (stage for one in plan["plans"] for stage in one["stages"]):
            parts = sum(stage[f"{line}_gib"] for line in LINES)
            checks.expect(abs(parts - stage["peak_gib"]) <= 1e-9 * max(parts, 1), f"{kind}: {parts} of {stage['peak_gib']}")


def main():
    warnings.filterwarnings("ignore")
    checks = Checks()
    with temporary_directory() as folder:
        for kind in sys.argv[1:] or TYPES:
            check_type(checks, kind, Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
