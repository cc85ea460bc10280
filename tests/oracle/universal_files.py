"""What DeepSpeed's own scripts make of the files of an engine, and what is in a universal checkpoint."""

import types
from pathlib import Path

import torch

MOMENTS = ("fp32", "exp_avg", "exp_avg_sq")


def same(checks, found, wanted, what):
    checks.equal(sorted(found), sorted(wanted), f"{what}: names")
    for name in sorted(set(found) & set(wanted)):
        ours, theirs = found[name].flatten(), wanted[name].flatten()
        checks.expect(torch.equal(ours, theirs), f"{what}: {name} differs")


def fp32_weights(directory):
    """What DeepSpeed's own script makes of the files of ZeRO."""
    from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint
    return {name: tensor.contiguous() for name, tensor in get_fp32_state_dict_from_zero_checkpoint(str(directory)).items()}


def universal(directory, target):
    """What DeepSpeed's own script makes of them with their optimizer: {file's stem: {name: tensor}}."""
    from deepspeed.checkpoint import ds_to_universal
    tag = (directory / "latest").read_text()
    ds_to_universal.main(types.SimpleNamespace(
        input_folder=str(directory / tag), output_folder=str(target / f"{tag}_universal"), num_extract_workers=1, num_merge_workers=1,
        keep_temp_folder=False, strict=True, inject_missing_state=True))
    return universal_values(target)


def universal_values(directory):
    out = {moment: {} for moment in MOMENTS}
    for moment in MOMENTS:
        for path in Path(directory).glob(f"*_universal/zero/*/{moment}.pt"):
            value = torch.load(path, weights_only=False)
            out[moment][path.parent.name] = value["param"] if isinstance(value, dict) else value
    return out
