"""Adapters that MindSpeed-LLM trained in Megatron's legacy models: merged, kept, or refused, but never other bits.

What comes out is compared with what the same adapter makes of the same model in PEFT's own directory. MindSpeed-LLM saves the factors with the
embeddings of the model, and without its layers; with them is what older releases, and our own output, have.
"""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "oracle")]
from checks import Checks, temporary_directory  # noqa: E402
from checkpoints import crc_filled, read_hf_directory, read_safetensors, read_torch_file, write_safetensors, write_torch_file  # noqa: E402
from legacy_checkpoints import HIDDEN, LAYERS, WIDTH, convert, model_of, write_hf  # noqa: E402
from legacy_megatron import Legacy, finite  # noqa: E402

RANK, ALPHA = 4, 8
SHAPES = {"self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (HIDDEN, HIDDEN), "self_attn.v_proj": (HIDDEN, HIDDEN),
          "self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.gate_proj": (WIDTH, HIDDEN), "mlp.up_proj": (WIDTH, HIDDEN), "mlp.down_proj": (HIDDEN, WIDTH)}
ONE_MODULE = {"self_attn.k_proj": "self_attn.q_proj", "self_attn.v_proj": "self_attn.q_proj", "mlp.up_proj": "mlp.gate_proj"}


def peft_adapter():
    out = {}
    for layer in range(LAYERS):
        for module, (rows, columns) in SHAPES.items():
            at = "base_model.model.model.layers.{}.{}.lora_{}.weight"
            right = at.format(layer, ONE_MODULE.get(module, module), "A")
            out[at.format(layer, module, "A")] = finite(crc_filled(right, (RANK, columns)))
            out[at.format(layer, module, "B")] = finite(crc_filled(at.format(layer, module, "B"), (rows, RANK)))
    return out


def write_peft(directory, adapter):
    directory.mkdir()
    (directory / "adapter_config.json").write_text(json.dumps({
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": ALPHA, "bias": "none",
        "target_modules": sorted({module.split(".")[1] for module in SHAPES})}))
    write_safetensors(directory / "adapter_model.safetensors", adapter)


def write_adapted(root, legacy, adapter, keep):
    """The checkpoint with the factors of the adapter; `keep`: of the other tensors of the layers, those that stay, and their names."""
    legacy.write(root)
    each = legacy.layers // legacy.pp
    for path in root.glob("*/*/model_optim_rng.pt"):
        ranks = [int(part) for part in path.parent.name.split("_")[2:]]
        tp, pp = (*ranks, 0)[:2]
        content = read_torch_file(path)
        model = content["model"]["language_model"]
        model["encoder"] = {keep(name): tensor for name, tensor in model["encoder"].items() if keep(name)}
        for at in range(each):
            model["encoder"] |= {f"layers.{at}.{name}": factor for name, factor in legacy.factors(adapter, pp * each + at, tp).items()}
        content["args"].lora_r, content["args"].lora_alpha = RANK, ALPHA
        write_torch_file(path, content)


def wrapped(name):
    module, _, kind = name.rpartition(".")
    return f"{module}.base_layer.{kind}" if module.rpartition(".")[2] in ("query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h") else name


def check_layout(checks, work, layout):
    what = str(layout)
    config, tensors = model_of("llama")
    tensors = {name: finite(tensor) for name, tensor in tensors.items()}
    adapter = peft_adapter()
    write_hf(work / "hf", config, tensors)
    write_peft(work / "peft", adapter)
    legacy = Legacy(config, tensors, **layout)
    legacy.write(work / "base")
    write_adapted(work / "alone", legacy, adapter, lambda name: "")
    write_adapted(work / "with", legacy, adapter, wrapped)
    known = ["--hf-cfg-dir", work / "hf"]
    merged = {"by PEFT": [work / "hf", "--lora-load", work / "peft"], "alone": [work / "hf", "--lora-load", work / "alone"],
              "to legacy": [work / "base", *known, "--lora-load", work / "alone"], "with": [work / "with", *known],
              "PEFT to legacy": [work / "base", *known, "--lora-load", work / "peft"]}
    for name, (source, *options) in merged.items():
        done = convert("-q", "--load-dir", source, "--save-dir", work / f"merged {name}", "--to", "hf", *options)
        if checks.expect(done.returncode == 0, f"{what}, {name}: {done.stderr}"):
            checks.expect(read_hf_directory(work / f"merged {name}") == read_hf_directory(work / "merged by PEFT"), f"{what}, {name}: the bits are others")
    checks.expect(read_hf_directory(work / "merged by PEFT") != tensors, f"{what}: nothing was merged")
    for name in ("alone", "with"):
        done = convert("-q", "--load-dir", work / name, *known, "--save-dir", work / f"kept {name}", "--save-lora", "--to", "hf")
        if checks.expect(done.returncode == 0, f"{what}, {name} kept: {done.stderr}"):
            found = read_safetensors(work / f"kept {name}/adapter_model.safetensors")
            checks.expect(found == adapter, f"{what}, {name} kept: the bits are others")
        done = convert("-q", "--load-dir", work / name, *known, "--save-dir", work / f"mcore {name}", "--save-lora", "--to", "mcore", "--tp", "4")
        if checks.expect(done.returncode == 0, f"{what}, {name} to mcore: {done.stderr}"):
            done = convert("verify", work / f"mcore {name}", "--against", work / f"kept {name}", *known)
            checks.expect(done.returncode == 0, f"{what}, {name} to mcore: {done.stdout}{done.stderr}")
    done = convert("--load-dir", work / "alone", *known, "--save-dir", work / "none", "--to", "hf")
    checks.expect(done.returncode == 4 and "--lora-load" in done.stderr and not (work / "none").exists(), f"{what}, alone to hf: {done.returncode} {done.stderr}")


def main():
    checks = Checks()
    with temporary_directory() as directory:
        for number, layout in enumerate(({"tp": 2, "pp": 2}, {})):
            (Path(directory) / str(number)).mkdir()
            check_layout(checks, Path(directory) / str(number), layout)
    checks.finish()


if __name__ == "__main__":
    main()
