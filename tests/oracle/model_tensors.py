"""Compares the tensors that the cases of rules/models/cases list with those of transformers itself."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, temporary_directory  # noqa: E402

from safetensors import safe_open  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402


def tensors_of(config):
    """Name and shape of every tensor that save_pretrained writes."""
    values = dict(config)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(values.pop("model_type"), **values))
    with temporary_directory() as directory:
        model.save_pretrained(directory)
        with safe_open(Path(directory) / "model.safetensors", framework="pt") as file:
            return {name: file.get_slice(name).get_shape() for name in file.keys()}


def main():
    checks = Checks()
    for path in sorted((ROOT / "rules/models/cases").glob("*.json")):
        case = json.loads(path.read_text())
        if case["tensors_of"] == "transformers":
            checks.equal(case["hf"], tensors_of(case["config"]), path.name)
    checks.finish()


if __name__ == "__main__":
    main()
