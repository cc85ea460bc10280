"""Compares the tensors that the cases of rules/models/cases list with those of transformers itself, which also loads what comes back.

    model_tensors.py [NAME...]
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run_ok, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
from safetensors import safe_open  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402
from transformers.utils import logging  # noqa: E402

logging.set_verbosity_error()
logging.disable_progress_bar()


def make_model(config, directory):
    """A model of this configuration, saved; name and shape of every tensor in the file."""
    values = dict(config)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(values.pop("model_type"), **values))
    model.save_pretrained(directory)
    with safe_open(directory / "model.safetensors", framework="pt") as file:
        return model, {name: file.get_slice(name).get_shape() for name in file.keys()}


def check_way_back(checks, name, model, source, work):
    """From Megatron's layout comes a checkpoint of which transformers makes the same model."""
    middle, back = work / "mcore", work / "back"
    if not run_ok(checks, tool("ckpt_convert"), "-q", "--load-dir", source, "--save-dir", middle, "--target", "mcore", "--tp", 2):
        return
    if not run_ok(checks, tool("ckpt_convert"), "-q", "--load-dir", middle, "--save-dir", back):
        return
    loaded, notes = AutoModelForCausalLM.from_pretrained(back, output_loading_info=True, local_files_only=True)
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        checks.equal(sorted(notes.get(kind, [])), [], f"{name}: {kind} in transformers")
    wanted, found = model.state_dict(), loaded.state_dict()
    checks.equal(sorted(found), sorted(wanted), f"{name}: state of the loaded model")
    different = [key for key in set(wanted) & set(found) if not torch.equal(wanted[key], found[key].to(wanted[key].dtype))]
    checks.equal(different, [], f"{name}: values of the loaded model")


def main():
    checks = Checks()
    for path in sorted((ROOT / "rules/models/cases").glob("*.json")):
        case = json.loads(path.read_text())
        if case["tensors_of"] != "transformers" or (sys.argv[1:] and path.stem not in sys.argv[1:]):
            continue
        with temporary_directory() as work:
            source = Path(work) / "hf"
            model, tensors = make_model(case["config"], source)
            checks.equal(case["hf"], tensors, path.name)
            check_way_back(checks, path.stem, model, source, Path(work))
    checks.finish()


if __name__ == "__main__":
    main()
