"""LoRA adapters in checkpoints of ranks: PEFT's own model, sharded by fully_shard, becomes what PEFT itself merges and saves."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import sharded_oracle as sharded  # noqa: E402
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


def check_written(checks, scratch, factors):
    """PEFT's directory becomes what a model of PEFT saves in shards, each of these the other, and all of them PEFT's directory again."""
    convert, described = tool("ckpt_convert"), ["--hf-cfg-dir", scratch / "base"]
    names = {name.replace(".weight", ".default.weight"): value for name, value in factors.items()}
    ranks = ["--to", "dtensor", "--world", "2", "--mesh-device", "cpu"]
    for start, source, asked in (("peft", "peft", ["--to", "dcp"]), ("dcp", "peft_dcp", ranks), ("ranks", "dcp_dtensor", ["--to", "dcp"]),
                                 ("again", "ranks_dcp", ["--to", "mcore", "--tp", "2", "--target", "mindspeed"]),
                                 ("megatron", "again_mcore", ["--to", "dcp"])):
        out = scratch / f"{start}_{asked[1]}"
        if not run_ok(checks, convert, scratch / source, out, "--save-lora", *asked, *described):
            return
        if asked[1] == "dcp" and start != "megatron":
            state, _ = sharded.dcp_tensors(out, "model.")
            sharded.same_tensors(checks, {name.removeprefix("model."): value for name, value in state.items()}, names, f"adapter of {start} in DCP")
        if asked[1] == "dtensor":
            parts = [torch.load(out / f"model_world_size_2_rank_{rank}.pt", weights_only=False) for rank in range(2)]
            joined = {name: torch.cat([one[name].to_local() for one in parts]) for name in parts[0]}
            sharded.same_tensors(checks, joined, names, "adapter of ranks")
        back = scratch / f"{out.name}_peft"
        if asked[1] != "mcore" and run_ok(checks, convert, out, back, "--to", "hf", "--save-lora", *described):
            config = json.loads((back / "adapter_config.json").read_text())
            if start == "megatron":  # which has one right factor for what it joins
                continue
            sharded.same_tensors(checks, load_file(back / "adapter_model.safetensors"), factors, f"{out.name} as PEFT's directory")
            checks.equal((config["r"], config["lora_alpha"]), (RANK, ALPHA), f"{out.name} as PEFT's directory")
    for one, other in (("peft", "peft_dcp"), ("peft_dcp", "peft"), ("peft_dcp", "dcp_dtensor"), ("peft", "peft_dcp_peft"), ("again_mcore", "megatron_dcp")):
        run_ok(checks, convert, "verify", scratch / one, "--against", scratch / other)
    for name in ("peft", "peft_dcp", "dcp_dtensor", "again_mcore", "alone"):
        run_ok(checks, convert, "verify", scratch / name)
        seen = run(convert, "inspect", scratch / name, "--summary")
        checks.expect(seen.returncode == 0 and ("factors of LoRA adapters" in seen.stdout or "PEFT adapter" in seen.stdout), f"inspect {name}: {seen.stdout}")
    said = scratch / "peft_dcp/lora_train_meta.json"
    said.write_text(said.read_text().replace("10", "20"))
    differs = run(convert, "verify", scratch / "peft_dcp", "--against", scratch / "dcp_dtensor")
    checks.expect(differs.returncode == 1 and "the products are scaled with 5 and 2.5" in differs.stdout, f"another alpha: {differs.stdout}{differs.stderr}")
    model = build(ALL)
    sharded.same_tensors(checks, {name: value for name, value in model.state_dict().items() if "lora_" in name}, names, "PEFT's own names")


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
        check_written(checks, scratch, factors)
        for source, options, wanted in (("whole", ["--to", "hf"], "give --lora-alpha"),
                                        ("alone", ["--to", "hf"], "this is an adapter without its model"),
                                        ("whole", ["--to", "universal", "--save-lora"], "an adapter alone is written as a PEFT directory"),
                                        ("alone", ["--to", "dcp", "--save-lora", "--names", "torchtitan"], "adapters in shards have the names of PEFT")):
            refused = run(convert, scratch / source, scratch / "nowhere", *options, *config)
            checks.expect(refused.returncode in (2, 4) and wanted in refused.stderr, f"{source} {options}: {refused.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
