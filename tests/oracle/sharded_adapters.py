"""LoRA adapters in checkpoints of ranks: PEFT's own model, sharded by fully_shard, becomes what PEFT itself merges and saves."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.distributed.checkpoint.state_dict import get_model_state_dict  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from transformers import Qwen3Config, Qwen3ForCausalLM  # noqa: E402

RANKS, RANK, ALPHA = 3, 4, 10
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def build(targets):
    torch.manual_seed(11)
    model = get_peft_model(Qwen3ForCausalLM(Qwen3Config(**tiny.CONFIG)).float(),
                           LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=targets))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.normal_()
    return model


def save(rank, world, scratch):
    model, scratch = build(ALL), Path(scratch)
    mesh = init_device_mesh("cpu", (world,))
    for layer in model.base_model.model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    state = get_model_state_dict(model)
    dcp.save({"model": state}, checkpoint_id=scratch / "whole")
    dcp.save({"model": {name: value for name, value in state.items() if "lora_" in name}}, checkpoint_id=scratch / "alone")
    (scratch / "ranks").mkdir(exist_ok=True)
    torch.save(model.state_dict(), scratch / f"ranks/model_world_size_{world}_rank_{rank}.pt")


def close(checks, directory, wanted, what):
    found = load_file(directory / "model.safetensors")
    checks.equal(sorted(found), sorted(wanted), f"{what}: names")
    for name, value in wanted.items():
        checks.expect(torch.allclose(found[name], value, rtol=1e-5, atol=1e-5), f"{what}: {name} is another")


def main():
    checks = Checks()
    convert = tool("ckpt_convert")
    with temporary_directory() as directory:
        scratch = Path(directory)
        tiny.run(save, RANKS, directory)
        model = build(ALL)
        model.save_pretrained(scratch / "peft")
        factors = load_file(scratch / "peft/adapter_model.safetensors")
        model.unload().save_pretrained(scratch / "base")
        build(ALL).merge_and_unload().save_pretrained(scratch / "merged")
        merged = load_file(scratch / "merged/model.safetensors")
        (scratch / "ranks/lora_train_meta.json").write_text(json.dumps({"r": RANK, "lora_alpha": ALPHA, "task_type": None}))
        config = ["--hf-cfg-dir", scratch / "base"]
        for name, alpha in (("whole", ["--lora-alpha", str(ALPHA)]), ("alone", ["--lora-alpha", str(ALPHA)]), ("ranks", [])):
            out = scratch / f"{name}_peft"
            if run_ok(checks, convert, scratch / name, out, "--to", "hf", "--save-lora", *alpha, *config):
                found = load_file(out / "adapter_model.safetensors")
                checks.equal(sorted(found), sorted(factors), f"{name}: factors")
                checks.expect(all(torch.equal(found[key], value) for key, value in factors.items()), f"{name}: a factor differs")
                checks.equal(json.loads((out / "adapter_config.json").read_text())["lora_alpha"], ALPHA, f"{name}: alpha")
            out = scratch / f"{name}_loaded"
            if run_ok(checks, convert, scratch / "base", out, "--to", "hf", "--lora-load", scratch / name, *alpha):
                close(checks, out, merged, f"{name} as --lora-load")
        whole = ["--lora-alpha", str(ALPHA), *config]
        if run_ok(checks, convert, scratch / "whole", scratch / "whole_hf", "--to", "hf", *whole):
            close(checks, scratch / "whole_hf", merged, "weights and adapters, merged")
        if run_ok(checks, convert, scratch / "whole", scratch / "whole_mg", "--to", "mcore", "--tp", "2", *whole) and \
                run_ok(checks, convert, scratch / "whole_mg", scratch / "back", "--to", "hf", "--hf-cfg-dir", scratch / "base"):
            close(checks, scratch / "back", merged, "weights and adapters, to Megatron")
        for source, options, wanted in (("whole", ["--to", "hf"], "give --lora-alpha"),
                                        ("alone", ["--to", "hf"], "this is an adapter without its model"),
                                        ("whole", ["--to", "dcp", "--save-lora"], "an adapter alone is written as a PEFT directory")):
            refused = run(convert, scratch / source, scratch / "nowhere", *options, *config)
            checks.expect(refused.returncode in (2, 4) and wanted in refused.stderr, f"{source} {options}: {refused.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
