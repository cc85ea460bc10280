"""Compares what ckpt_convert writes with an independent description of the mcore layout (mcore_reference.py).

First the description itself is checked: it must reproduce the recorded cases of tests/golden/conversion.
"""

import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, make_tiny, run_ok, temporary_directory, tool  # noqa: E402
from checkpoints import crc_filled, megatron_files, read_hf_directory, read_torch_file  # noqa: E402

import numpy as np  # noqa: E402

from mcore_reference import convert  # noqa: E402


def as_array(tensor):
    assert tensor.dtype == "BF16", tensor.dtype
    return np.frombuffer(tensor.data, dtype="<u2").reshape(tensor.shape)


def reference_options(options):
    """The reference's arguments for a case's command line."""
    given = dict(zip(options[::2], options[1::2]))
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    out = {"tensor": int(given.pop("--target-tensor-parallel-size", 1)),
           "pipeline": int(given.pop("--target-pipeline-parallel-size", 1))}
    if "--num-layers-per-virtual-pipeline-stage" in given:
        out["per_chunk"] = int(given.pop("--num-layers-per-virtual-pipeline-stage"))
    if "--num-layer-list" in given:
        out["layer_list"] = numbers(given.pop("--num-layer-list"))
    if "--noop-layers" in given:
        out["noop"] = numbers(given.pop("--noop-layers"))
    assert not given, given
    return out


# The families with the names and the places of layers that the reference knows.
REFERENCE_FAMILIES = ("llama2", "qwen25")


def check_reference(checks):
    for path in sorted((ROOT / "tests/golden/conversion").glob("*.json")):
        case = json.loads(path.read_text())
        if case["family"] not in REFERENCE_FAMILIES:
            continue
        hf = {name: as_array(crc_filled(name, shape)) for name, shape in case["hf"].items()}
        files = convert(hf, case["config"], **reference_options(case["options"]))
        found = {rank: {model: {key: [list(value.shape), hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]]
                                for key, value in tensors.items()} for model, tensors in models.items()}
                 for rank, models in files.items()}
        checks.equal(found, case["files"], f"the reference on {path.stem}")


def compare(checks, name, source, target, options):
    """The files below `target` against the reference's conversion of `source`."""
    config = json.loads((source / "config.json").read_text())
    hf = {key: as_array(tensor) for key, tensor in read_hf_directory(source).items()}
    wanted = convert(hf, config, **options)
    files = megatron_files(target)
    checks.equal(sorted(files), sorted(wanted), f"{name}: rank directories")
    for rank in set(files) & set(wanted):
        content = read_torch_file(files[rank])
        for model, tensors in wanted[rank].items():
            found = content.get(model, {})
            checks.equal(sorted(found), sorted(tensors), f"{name}/{rank}/{model}: keys")
            for key in set(found) & set(tensors):
                same = found[key].shape == tensors[key].shape and np.array_equal(as_array(found[key]), tensors[key])
                checks.expect(same, f"{name}/{rank}/{model}/{key}: differs (shape {found[key].shape}, wanted {tensors[key].shape})")


def main():
    checks = Checks()
    check_reference(checks)
    layouts = [({"tensor": t, "pipeline": p}, ["--tp", t, "--pp", p]) for t in (1, 2, 4) for p in (1, 2)]
    with temporary_directory() as directory:
        for family in ("llama2", "qwen15", "qwen3"):
            source = Path(directory) / family
            make_tiny(checks, family, source)
            for number, (options, arguments) in enumerate(layouts):
                target = Path(directory) / f"{family}_{number}"
                if run_ok(checks, tool("ckpt_convert"), "--load-dir", source, "--save-dir", target, *arguments):
                    compare(checks, f"{family} {options}", source, target, options)
    checks.finish()


if __name__ == "__main__":
    main()
