"""Legacy Megatron checkpoints to everything that is written: the files are those that the same model becomes from mcore, bit for bit.

    legacy_targets.py [--long]     --long: at six layouts and with each kind of layers, not at one

The formats are the words of `--to` that the program itself lists; a new one without a sample here fails. The state of the optimizer goes
along where there is a place for it, and is read back from the files for ranks of DeepSpeed: weights and moments of each parameter are
those that the checkpoint was made of.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "oracle")]
from checks import Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import element_count, payload_offsets, read_hf_directory, read_torch_file  # noqa: E402
from legacy_checkpoints import convert, model_of, write_hf  # noqa: E402
from legacy_megatron import STATES, Legacy, finite, state_of  # noqa: E402

KEEP = ["--optimizer", "keep"]
WRITTEN = {
    "hf": [[]],
    "mcore": [["--tp", "2", *KEEP], ["--pp", "2", "--num-layers-per-virtual-pipeline-stage", "1", *KEEP],
              ["--target", "mcore", "--ckpt-format", "torch_dist", *KEEP]],
    "dcp": [KEEP],
    "dtensor": [["--world", "3"], ["--world", "3", *KEEP]],
    "universal": [KEEP],
    "zero": [["--stage", stage, "--world", "2"] for stage in "123"],
    "megatron-fsdp": [KEEP],
    "mindspore": [[]],
    "vllm": [["--tp", "2"]],
}
# Of these nothing in a checkpoint of Megatron says in which order the run has its parameters: refused from both, in one sentence.
REFUSED = {("dtensor", 1), ("zero", 0), ("zero", 1), ("zero", 2)}
# And these have no names, or no rows, for such a model.
REFUSED_OF = {"gpt2": {("dtensor", 0), ("mindspore", 0), ("vllm", 0)}}
LAYOUTS = [{"tp": 2, "pp": 2}, {}, {"tp": 2}, {"pp": 2}, {"tp": 2, "pp": 2, "vpp": 2}, {"tp": 2, "padding": 8}]
# How mcore is asked for the same; it has no rows of padding then.
SAME_LAYOUT = {"tp": "--tp", "pp": "--pp", "vpp": "--num-virtual-stages-per-pipeline-rank"}
# A model with biases, one with tied embeddings, one with grouped queries, one with LayerNorm; layers of both kinds.
MODELS = [("qwen15", False), ("qwen15_tied", False), ("llama2_70b", False), ("llama", True), ("gpt2", True)]
# What says where the files come from.
TELLS_ORIGIN = {"conversion_manifest.json"}


def words_of_to():
    told = run(tool("ckpt_convert"), "nothing", "nowhere", "--to", "?").stderr
    return set(told.strip().partition("there are ")[2].partition(";")[0].replace(" ", "").split(","))


def content(root):
    """By its path, what each file holds; of files that have the run's arguments in them, all but these."""
    out = {}
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.name in TELLS_ORIGIN:
            continue
        name, data = str(path.relative_to(root)), path.read_bytes()
        if path.name in ("model_optim_rng.pt", "common.pt"):
            value = read_torch_file(path)
            value.pop("args", None)
            data = value
        out[name] = data
    return out


def same(checks, what, one, other):
    ours, theirs = content(one), content(other)
    checks.equal(sorted(ours), sorted(theirs), f"{what}: files")
    differing = [name for name in ours if ours[name] != theirs.get(name)]
    checks.equal(differing, [], f"{what}: files with other content")


def same_values(checks, case, work, *targets):
    """Of torch_dist, whose tensors stand in the order of what they are made of: by the files that they become."""
    named = [target.with_name(f"{target.name}_universal") for target in targets]
    for target, made in zip(targets, named):
        done = convert("-q", "--load-dir", target, "--save-dir", made, "--hf-cfg-dir", work / "hf", "--to", "universal", *KEEP)
        checks.expect(done.returncode == 0, f"{case}, to universal: {done.stderr}")
    same(checks, case, *named)


def check_states(checks, what, universal, tensors):
    """The files of DeepSpeed have a folder for each parameter, named as in Hugging Face's model."""
    folders = {path.name: path for path in universal.glob("*/zero/*") if path.is_dir()}
    checks.equal(sorted(folders), sorted(tensors), f"{what}: parameters")
    for state in STATES:
        wanted = state_of(state, tensors)
        for name, folder in folders.items():
            found = read_torch_file(folder / ("fp32.pt" if state == "param" else f"{state}.pt"))
            found = found["param"] if isinstance(found, dict) else found
            count = element_count(wanted[name].shape)
            checks.expect(found.data[:4 * count] == wanted[name].data, f"{what}: {state} of {name}")


def check_layout(checks, work, name, fused, layout):
    config, tensors = model_of(name)
    tensors = {tensor: finite(value) for tensor, value in tensors.items()}
    write_hf(work / "hf", config, tensors)
    Legacy(config, tensors, fused=fused, **layout).write(work / "legacy", training=True)
    what = f"{name} {layout}{' fused' if fused else ''}"
    impl = ["--transformer-impl", "transformer_engine" if fused else "local"]
    made = convert("--load-dir", work / "legacy", "--save-dir", work / "mcore", "--hf-cfg-dir", work / "hf", "--to", "mcore", *KEEP, *impl,
                   *(word for size, count in layout.items() if size in SAME_LAYOUT for word in (SAME_LAYOUT[size], str(count))))
    if not checks.expect(made.returncode == 0, f"{what}: {made.stderr}"):
        return
    for source in ("legacy", "mcore"):
        done = convert("verify", work / source, "--hf-cfg-dir", work / "hf")
        checks.expect(done.returncode == 0 and "the state of the optimizer is checked too" in done.stdout + done.stderr, f"{what}, {source}: {done.stdout}{done.stderr}")
    for word, forms in WRITTEN.items():
        for number, options in enumerate(forms):
            case = f"{what} to {word} {' '.join(options)}"
            targets = [work / f"{word}_{number}_{source}" for source in ("legacy", "mcore")]
            done = [convert("-q", "--load-dir", work / source, "--save-dir", target, "--hf-cfg-dir", work / "hf", "--to", word, *options)
                    for source, target in zip(("legacy", "mcore"), targets)]
            refused = (word, number) in REFUSED | REFUSED_OF.get(name, set())
            if "has no module like that of output_layer" in done[1].stderr and done[0].returncode == 0 and layout.get("pp", 1) == 1:
                continue  # tied embeddings: mcore's own file of one stage does not say where the copy of the last stage belongs
            if not checks.equal([one.returncode for one in done], [5, 5] if refused else [0, 0], f"{case}: {done[0].stderr}{done[1].stderr}"):
                continue
            if refused:
                checks.equal(done[0].stderr.replace("/legacy/", "/mcore/"), done[1].stderr, f"{case}: why not")
                checks.expect(not targets[0].exists(), f"{case}: something was written")
            elif "torch_dist" in options:
                same_values(checks, case, work, *targets)
            else:
                same(checks, case, *targets)
    check_states(checks, what, work / "universal_0_legacy", tensors)


def check_refused(checks, work):
    """A state that is not that of the weights, or of a version that is older than such states: the weights alone are converted."""
    config, tensors = model_of("qwen15")
    tensors = {tensor: finite(value) for tensor, value in tensors.items()}
    write_hf(work / "hf", config, tensors)
    Legacy(config, tensors, tp=2, version=1.0, old=True).write(work / "old", training=True)
    Legacy(config, tensors, tp=2).write(work / "other", training=True)
    path = work / "other/iter_0000010/mp_rank_01/distrib_optim.pt"
    content = bytearray(path.read_bytes())
    content[payload_offsets(path)["archive/data/0"] + 7] ^= 0x10
    path.write_bytes(content)
    for name, code, message in (("old", 5, "older than the optimizers whose state is read"), ("other", 4, "it does not belong to the weights")):
        done = convert("--load-dir", work / name, "--save-dir", work / "kept", "--hf-cfg-dir", work / "hf", "--to", "dcp", *KEEP)
        checks.expect(done.returncode == code and message in done.stderr and not (work / "kept").exists(), f"{name}: {done.returncode} {done.stderr}")
        done = convert("--load-dir", work / name, "--save-dir", work / f"{name}_hf", "--hf-cfg-dir", work / "hf", "--to", "hf")
        checks.expect(done.returncode == 0 and read_hf_directory(work / f"{name}_hf") == tensors, f"{name} to hf: {done.stderr}")


def main():
    checks = Checks()
    checks.equal(set(WRITTEN), words_of_to(), "formats that --to knows")
    long = "--long" in sys.argv[1:]
    cases = [(*model, layout) for model in MODELS for layout in LAYOUTS] if long else [("qwen15", False, LAYOUTS[0])]
    with temporary_directory() as directory:
        for number, case in enumerate(cases):
            check_layout(checks, Path(directory) / str(number), *case)
        check_refused(checks, Path(directory) / "refused")
    checks.finish()


if __name__ == "__main__":
    main()
