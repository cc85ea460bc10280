"""Gives a tiny model LoRA adapters under all known names and holds the merged weights to a sum in torch, bit for bit."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run, run_ok, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

torch.serialization.add_safe_globals([argparse.Namespace])
torch.set_num_threads(1)
RANK, ALPHA = 4, 24
MODULES = ("linear_qkv", "linear_proj", "linear_fc1", "linear_fc2")
COLUMN = ("linear_qkv", "linear_fc1")  # split by rows over the TP ranks: A is the same on all of them, of the others B
# What a trainer calls the factors, and the weight itself when its file holds both.
NAMES = {
    "peft": ("{}.lora_A.default.weight", "{}.lora_B.default.weight", "{}.base_layer.weight"),
    "lower": ("{}.lora_a.weight", "{}.lora_b.weight", "{}.weight"),
    "bridge": ("{}.adapter.linear_in.weight", "{}.adapter.linear_out.weight", "{}.to_wrap.weight"),
}
LAYOUT = ("--tp", "2", "--pp", "2")


def merged(weight, left, right, scale):
    """The sum in the order of the rank, in f32, rounded once."""
    total = torch.zeros(weight.shape, dtype=torch.float32)
    for k in range(left.shape[1]):
        total = total + left[:, k:k + 1].float() * right[k].float()
    return (weight.float() + scale * total).to(weight.dtype)


def files_of(root):
    return {path.parent.name: torch.load(path, weights_only=True) for path in sorted(root.rglob("model_optim_rng.pt"))}


def factors(rank_name, name, weight):
    """A and B of a rank's module; the one that all TP ranks share depends on the stage only."""
    module = name.rpartition(".weight")[0]
    tp, _, stage = rank_name.removeprefix("mp_rank_").partition("_")
    column = module.endswith(COLUMN)

    def random(shape, key):
        generator = torch.Generator().manual_seed(sum(map(ord, key)) * 131 + len(key))
        return torch.randn(shape, generator=generator).mul(0.05).bfloat16()

    right = random((RANK, weight.shape[1]), f"A {stage} {module}" + ("" if column else tp))
    left = random((weight.shape[0], RANK), f"B {stage} {module}" + (tp if column else ""))
    return module, left, right


def is_adapted(name):
    return name.removesuffix(".weight").endswith(MODULES)


def write_adapted(base, target, names, inside):
    """The base's files with factors: with the weights (`inside`), or alone."""
    wanted = {}
    for rank, file in base.items():
        model, wanted[rank] = {}, {}
        for name, weight in file["model"].items():
            if not is_adapted(name):
                wanted[rank][name] = weight
                if inside:
                    model[name] = weight
                continue
            module, left, right = factors(rank, name, weight)
            wanted[rank][name] = merged(weight, left, right, ALPHA / RANK)
            model[names[0].format(module)], model[names[1].format(module)] = right, left
            if inside:
                model[names[2].format(module)] = weight
        path = target / "iter_0000001" / rank / "model_optim_rng.pt"
        path.parent.mkdir(parents=True)
        torch.save({**file, "model": model}, path)
    (target / "latest_checkpointed_iteration.txt").write_text("1")
    return wanted


def check_megatron(checks, convert, scratch):
    base_directory = scratch / "base"
    base = files_of(base_directory)
    for variant, names in NAMES.items():
        for inside in (True, False):
            what = f"{variant}, {'with' if inside else 'beside'} the weights"
            adapted, out = scratch / f"{variant}{inside}", scratch / f"{variant}{inside}_out"
            wanted = write_adapted(base, adapted, names, inside)
            source = (adapted,) if inside else (base_directory, "--lora-load", adapted)
            if not run_ok(checks, convert, "--load-dir", *source, "--hf-cfg-dir", base_directory / "hf_config", "--save-dir", out,
                          "--save-model-type", "mg", *LAYOUT, "--lora-alpha", str(ALPHA), "--lora-r", str(RANK)):
                continue
            for rank, file in files_of(out).items():
                checks.equal(sorted(file["model"]), sorted(wanted[rank]), f"{what}: the names on {rank}")
                for name, weight in wanted[rank].items():
                    checks.expect(torch.equal(file["model"][name], weight), f"{what}: {rank} {name}")
    # The way to Hugging Face merges the same.
    run_ok(checks, convert, "--load-dir", scratch / "peftTrue", "--hf-cfg-dir", base_directory / "hf_config", "--save-dir", scratch / "hf_out",
           "--lora-alpha", str(ALPHA))
    run_ok(checks, convert, "verify", scratch / "hf_out", "--against", scratch / "peftTrue_out")
    unknown = run(convert, "--load-dir", scratch / "peftTrue", "--hf-cfg-dir", base_directory / "hf_config", "--save-dir", scratch / "none")
    checks.equal(unknown.returncode, 2, f"without alpha: {unknown.stderr}")
    checks.expect("--lora-alpha" in unknown.stderr, unknown.stderr)
    other = run(convert, "--load-dir", scratch / "peftTrue", "--hf-cfg-dir", base_directory / "hf_config", "--save-dir", scratch / "none",
                "--lora-alpha", "1", "--lora-r", "8")
    checks.equal(other.returncode, 4, f"another rank than stated: {other.stderr}")
    alone = run(convert, "--load-dir", scratch / "peftFalse", "--hf-cfg-dir", base_directory / "hf_config", "--save-dir", scratch / "none",
                "--lora-alpha", "1")
    checks.equal(alone.returncode, 4, f"an adapter without its model: {alone.stderr}")


def check_peft(checks, convert, scratch):
    """A PEFT directory onto Hugging Face weights, straight into a Megatron layout and back."""
    weights = {}
    for path in (scratch / "hf").glob("*.safetensors"):
        weights.update(load_file(path))
    adapter, wanted = {}, {}
    for name, weight in weights.items():
        wanted[name] = weight
        if not name.endswith(("q_proj.weight", "v_proj.weight", "down_proj.weight")):
            continue
        left, right = torch.randn(weight.shape[0], RANK) * 0.05, torch.randn(RANK, weight.shape[1]) * 0.05
        stem = f"base_model.model.{name.removesuffix('.weight')}"
        adapter[f"{stem}.lora_A.weight"], adapter[f"{stem}.lora_B.weight"] = right, left
        wanted[name] = merged(weight, left, right, ALPHA / RANK**0.5)
    directory = scratch / "adapter"
    directory.mkdir()
    save_file(adapter, directory / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "use_rslora": True, "rank_pattern": {}}
    (directory / "adapter_config.json").write_text(json.dumps(config))
    run_ok(checks, convert, "--load-dir", scratch / "hf", "--lora-load", directory, "--save-dir", scratch / "peft_mg", *LAYOUT)
    run_ok(checks, convert, "--load-dir", scratch / "peft_mg", "--save-dir", scratch / "peft_hf")
    found = {}
    for path in (scratch / "peft_hf").glob("*.safetensors"):
        found.update(load_file(path))
    for name, weight in wanted.items():
        checks.expect(torch.equal(found[name], weight), f"PEFT: {name}")


def main():
    checks, convert = Checks(), tool("ckpt_convert")
    torch.manual_seed(1)
    with temporary_directory() as name:
        scratch = Path(name)
        make_tiny(checks, "qwen3", scratch / "hf")
        run_ok(checks, convert, "--load-dir", scratch / "hf", "--save-dir", scratch / "base", *LAYOUT)
        check_megatron(checks, convert, scratch)
        check_peft(checks, convert, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
