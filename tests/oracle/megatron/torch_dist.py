"""The checks of the torch_dist format, which Megatron's dist_checkpointing reads and writes at any topology."""

import sys
from pathlib import Path

import training_files
from directions import ITERATION

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checkpoints import megatron_directory  # noqa: E402


NEMO = "nemo"
OF_NEMO = ("qwen2", "qwen3 moe")


def load_and_compare(directions, case, topology, what, directory):
    """Megatron loads a torch_dist directory at this topology and computes what transformers does."""
    answers = directions.compute(case, topology, what, "load_dist", directory=str(directory))
    if answers is not None:
        directions.results.rank_logits(case.family, topology, what, answers[-1], case.logits)


def load_padded(directions, case, topology, what, directory, rows):
    """Into a model with a padded vocabulary, as a training run has it: Megatron fills the rows that are not there."""
    answers = directions.compute(case, topology, what, "load_dist", padded_vocab=rows, directory=str(directory))
    if answers is not None:
        directions.padded_logits(case, topology, what, answers[-1])


def write_ours(directions, case, before, what, name, more):
    """torch_dist from Hugging Face by our converter: one directory, which every topology is to load."""
    target = case.path(before, name)
    options = [*before.options(), "--save-model-type", "mg", "--ckpt-format", "torch_dist", *more]
    if not directions.convert(case, before, what, case.hf, target, *options):
        return None
    return megatron_directory(target)[0]


def write_megatrons(directions, case, before):
    """torch_dist by Megatron's own writer, of the model that this topology holds; the root directory."""
    what = "Megatron's own torch_dist"
    root = case.path(before, "megatron_dist")
    directory = root / f"iter_{ITERATION:07d}"
    directory.mkdir(parents=True)
    source = megatron_directory(case.path(before, "mcore"))[0]
    nemo = case.path(before, NEMO) / "weights"
    nemo.mkdir(parents=True)
    save = lambda directory, **more: (  # noqa: E731
        "save_dist", {"directory": str(directory), "description": case.description, "iteration": ITERATION, **more})
    steps = [("build", {"description": case.description}), ("load_files", {"directory": str(source)}), save(directory)]
    if case.family in OF_NEMO:
        steps.append(save(nemo, is_nemo=True))
    if directions.on_ranks(case, before, what, *steps) is None:
        return None
    training_files.write_tracker(root, ITERATION)
    return root


def ours_to_hf(directions, case, before, name):
    """Our torch_dist read back by our converter, without being told what it is."""
    what, back = "torch_dist -> hf", case.path(before, f"{name}_back")
    if directions.convert(case, before, what, case.path(before, name), back, "--hf-cfg-dir", case.hf):
        directions.compare_hf(case, before, what, back)


def megatrons_to_hf(directions, case, before, root):
    """A torch_dist checkpoint of Megatron's writer by our converter to Hugging Face."""
    what, back = "Megatron's torch_dist -> hf", case.path(before, "megatron_dist_back")
    if directions.convert(case, before, what, root, back, "--hf-cfg-dir", case.hf):
        directions.compare_hf(case, before, what, back)
    if case.family in OF_NEMO:
        what, back = "NeMo 2 -> hf", case.path(before, "nemo_back")
        if directions.convert(case, before, what, case.path(before, NEMO), back, "--hf-cfg-dir", case.hf):
            directions.compare_hf(case, before, what, back)
