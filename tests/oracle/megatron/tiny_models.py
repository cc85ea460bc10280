"""The transformers side: makes tiny checkpoints of real architectures and says what transformers computes from a directory."""

import json
import zlib

import torch
from safetensors import safe_open
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils import logging

import searched_llama  # noqa: F401 - makes its model known to transformers
from families import VOCAB

logging.set_verbosity_error()
logging.disable_progress_bar()

SAMPLES, LENGTH = 2, 24


def token_ids():
    """The input of every comparison: all tokens of the small vocabulary occur."""
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, VOCAB, (SAMPLES, LENGTH), generator=generator)


def fill(model, unused):
    """Weights that depend on their names only and leave no part of the model without effect.

    A fresh model has norms of ones and biases of zeros, with which an exchange of two of them would not be seen.
    """
    with torch.no_grad():
        for name, parameter in [*model.named_parameters(), *model.named_buffers()]:
            if "inv_freq" in name:
                continue
            generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
            values = torch.randn(parameter.shape, generator=generator)
            if name.endswith("norm.weight"):
                # Between 1/2 and 2 nothing is lost when a layout stores it less 1.
                parameter.copy_((1 + 0.3 * values).clamp(0.5, 2))
            elif parameter.dim() == 1:
                parameter.copy_(0.1 * values)
            else:
                parameter.copy_(values / parameter.shape[-1] ** 0.5)
            for end, rows in unused.items():
                if name.endswith(end):
                    parameter[:rows] = 0


def make(family, directory):
    """Writes a float32 checkpoint of several shards; gives its config.json."""
    config = AutoConfig.for_model(family.model_type, **family.full_config())
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager")
    fill(model, family.unused)
    model.save_pretrained(directory, max_shard_size="300KB")
    assert len(list(directory.glob("*.safetensors"))) > 1, "meant to have several shards"
    return json.loads((directory / "config.json").read_text())


def load(directory):
    """(model, the notes of transformers about keys) of a directory."""
    model, notes = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager",
                                                        output_loading_info=True, local_files_only=True)
    return model.eval(), notes


def logits(model, ids):
    with torch.no_grad():
        return model(ids).logits.float()


def tensors(directory):
    """Every tensor of the directory's files by name."""
    found = {}
    for path in sorted(directory.glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():
                assert name not in found, name
                found[name] = file.get_tensor(name)
    return found
