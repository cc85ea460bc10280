"""Compares the tensors that the cases of rules/models/cases list with those of transformers itself."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

import torch  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402


def tensors_of(config):
    """Name and shape of every tensor that save_pretrained writes: without those tied to another one."""
    values = dict(config)
    made = AutoConfig.for_model(values.pop("model_type"), **values)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(made)
    tied = set(model._tied_weights_keys or []) if made.tie_word_embeddings else set()
    return {name: list(tensor.shape) for name, tensor in model.state_dict().items() if name not in tied}


def main():
    checks = Checks()
    for path in sorted((ROOT / "rules/models/cases").glob("*.json")):
        case = json.loads(path.read_text())
        if case["tensors_of"] == "transformers":
            checks.equal(case["hf"], tensors_of(case["config"]), path.name)
    checks.finish()


if __name__ == "__main__":
    main()
