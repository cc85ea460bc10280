"""LoRA adapters of Megatron layouts become PEFT directories: what PEFT computes with one on the model is what the model computes
with the adapter merged into its weights.

The factors are random numbers that depend on names alone. What is right comes from torch: of every rank's file the sum weight +
scale * B A is written as a checkpoint without adapters, and converted.
"""

import json
import shutil
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "support"), str(ROOT / "oracle/megatron")]
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from peft import LoraConfig, PeftModel, get_peft_model  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save  # noqa: E402

import tiny_models  # noqa: E402
from adapter_oracle import ALPHA, files_of, merged  # noqa: E402
from families import FAMILIES  # noqa: E402

RANK = 3
COLUMN = ("linear_qkv", "linear_fc1", "linear_q_up_proj", "linear_kv_up_proj")  # TP splits their rows
ROW = ("linear_proj", "linear_fc2")                                            # and their columns
WHOLE_WITH_LATENT_ATTENTION = ("linear_qkv",)


@dataclass(frozen=True)
class Case:
    family: str
    layout: tuple
    computes: bool = True  # the logits too; one layout of a family is enough
    attention_only: bool = False

    def size(self, option):
        return int(self.layout[self.layout.index(option) + 1]) if option in self.layout else 1


CASES = (
    Case("llama", ("--tp", "2", "--pp", "2", "--num-layers-per-virtual-pipeline-stage", "1")),
    Case("phi3", ("--tp", "2"), attention_only=True),
    Case("qwen3 moe", ("--tp", "2", "--pp", "2", "--ep", "2")),
    Case("qwen3 moe", ("--ep", "2", "--pp", "2", "--moe-grouped-gemm", "--transformer-impl", "transformer_engine"), computes=False),
    Case("qwen3 moe", ("--tp", "2", "--ep", "2", "--moe-grouped-gemm"), computes=False),
    Case("deepseek v3", ("--tp", "2", "--pp", "2"), attention_only=True),
    Case("deepseek v3", ("--ep", "2", "--noop-layers", "2,5", "--pp", "2"), computes=False),
)


def random_factor(shape, *names):
    generator = torch.Generator().manual_seed(zlib.crc32(" ".join(names).encode()))
    return torch.randn(shape, generator=generator) * 0.1


def places(case, rank):
    """The TP, PP and EP numbers of a rank file's directory."""
    numbers = rank.removeprefix("mp_rank_").split("_")
    pp = numbers.pop(1) if case.size("--pp") > 1 else "0"
    return numbers[0], pp, numbers[1] if len(numbers) > 1 else "0"


def factors(case, rank, chunk, name, weight, latent):
    """Left and right factor of a rank's matrix, under their names in the file, and their product; None when it has no adapter."""
    tp, pp, ep = places(case, rank)
    module, _, kind = name.rpartition(".")
    last = module.rpartition(".")[2]
    if last == "experts" and kind in ("weight1", "weight2"):
        column, matrices = kind == "weight1", None
        experts = 2  # of each rank
        rows = weight.shape[0] if column else weight.shape[0] // experts
        columns = weight.shape[1] // experts if column else weight.shape[1]
        # Stored as inputs x outputs of each expert: the first factor belongs to the inputs.
        left = random_factor((experts, rows, RANK), "A", pp, ep, name, "" if column else tp)
        right = random_factor((experts, RANK, columns), "B", pp, ep, name, tp if column else "")
        matrices = [merged(torch.zeros(rows, columns), left[i], right[i], 1.0) for i in range(experts)]
        return {f"{name}_lora_a": left, f"{name}_lora_b": right}, (left, right), matrices
    wanted = ("linear_qkv", "linear_proj", "linear_q_up_proj", "linear_kv_up_proj") if case.attention_only else COLUMN + ROW
    if not kind.startswith("weight") or last not in wanted:
        return None
    split = "rows" if last in COLUMN else "columns"
    if latent and last in WHOLE_WITH_LATENT_ATTENTION:
        split = ""
    where = (pp, chunk, name, ep if ".experts." in name else "")
    left = random_factor((weight.shape[0], RANK), "B", *where, tp if split == "rows" else "")
    right = random_factor((RANK, weight.shape[1]), "A", *where, tp if split == "columns" else "")
    number = kind.removeprefix("weight")
    return {f"{module}.lora_A.default.weight{number}": right, f"{module}.lora_B.default.weight{number}": left}, (left, right), None


def with_adapter(weight, found):
    _, (left, right), matrices = found
    scale = ALPHA / RANK
    if matrices is None:
        return merged(weight, left, right, scale)
    experts, rows, columns = len(matrices), left.shape[1], right.shape[2]
    stacked = weight.reshape(experts, rows, columns)
    return torch.stack([merged(stacked[i], left[i], right[i], scale) for i in range(experts)]).reshape(weight.shape)


def write_adapter(case, base, adapter, truth, latent):
    """The factors alone as a checkpoint in the base's layout, and the base with them merged."""
    for rank, file in files_of(base).items():
        alone, whole = dict(file), dict(file)
        for chunk in (key for key in file if key.startswith("model")):
            alone[chunk], whole[chunk] = {}, dict(file[chunk])
            for name, weight in file[chunk].items():
                found = factors(case, rank, chunk, name, weight, latent) if torch.is_tensor(weight) else None
                if found is None:
                    continue
                alone[chunk].update(found[0])
                whole[chunk][name] = with_adapter(weight, found)
        for directory, content in ((adapter, alone), (truth, whole)):
            path = directory / "iter_0000001" / rank / "model_optim_rng.pt"
            path.parent.mkdir(parents=True)
            torch.save(content, path)
    for directory in (adapter, truth):
        (directory / "latest_checkpointed_iteration.txt").write_text("1")


def check_tensors(checks, what, hf, peft, truth):
    """Every merged weight is the base's and B A of the directory, bit for bit."""
    base, wanted, found = tiny_models.tensors(hf), tiny_models.tensors(truth), load_file(peft / "adapter_model.safetensors")
    config = json.loads((peft / "adapter_config.json").read_text())
    checks.equal((config["r"], config["lora_alpha"], config["peft_type"]), (RANK, ALPHA, "LORA"), f"{what}: the configuration")
    for name, weight in wanted.items():
        stem = f"base_model.model.{name.removesuffix('.weight')}"
        left, right = found.pop(f"{stem}.lora_B.weight", None), found.pop(f"{stem}.lora_A.weight", None)
        changed = left is not None and right is not None
        expected = merged(base[name], left, right, ALPHA / RANK) if changed else base[name]
        checks.expect(torch.equal(expected, weight), f"{what}: {name}, {'with' if changed else 'without'} an adapter")
    checks.equal(sorted(found), [], f"{what}: factors of no weight")


def check_logits(checks, what, hf, peft, truth):
    ids = tiny_models.token_ids()
    model, _ = tiny_models.load(hf)
    before = tiny_models.logits(model, ids)
    adapted = PeftModel.from_pretrained(model, peft).eval()
    after = tiny_models.logits(adapted, ids)
    wanted = tiny_models.logits(tiny_models.load(truth)[0], ids)
    difference = (after - wanted).abs().max().item()
    checks.expect((after - before).abs().max().item() > 0.1, f"{what}: the adapter changes nothing")
    checks.expect(difference < 1e-4, f"{what}: PEFT's logits differ from those of the merged model by {difference}")
    print(f"{what}: the largest difference of logits is {difference:.1e}")


def check_case(checks, convert, case, scratch):
    what = f"{case.family} {' '.join(case.layout)}"
    family = next(row for row in FAMILIES if row.name == case.family)
    hf, base, adapter, truth = (scratch / name for name in ("hf", "base", "adapter", "truth"))
    tiny_models.make(family, hf)
    if not run_ok(checks, convert, "--load-dir", hf, "--save-dir", base, *case.layout):
        return
    write_adapter(case, base, adapter, truth, latent="kv_lora_rank" in family.config)
    config = ("--hf-cfg-dir", hf)
    alpha = ("--lora-alpha", str(ALPHA))
    run_ok(checks, convert, "--load-dir", truth, "--save-dir", scratch / "truth_hf", *config)
    if run_ok(checks, convert, "--load-dir", adapter, "--save-dir", scratch / "peft", "--save-lora-to-hf", *config, *alpha):
        check_tensors(checks, what, hf, scratch / "peft", scratch / "truth_hf")
        if case.computes:
            check_logits(checks, what, hf, scratch / "peft", scratch / "truth_hf")
    # The same adapter merged into the model in another layout.
    run_ok(checks, convert, "--load-dir", hf, "--save-dir", scratch / "whole", "--save-model-type", "mg")
    run_ok(checks, convert, "--load-dir", scratch / "whole", "--lora-load", adapter, "--save-dir", scratch / "merged", *config, *alpha)
    same = run(convert, "verify", scratch / "merged", "--against", scratch / "truth_hf")
    checks.equal(same.returncode, 0, f"{what}: merged from another layout: {same.stdout} {same.stderr}")


def check_import(checks, convert, scratch):
    """An adapter that PEFT made, of some projections, as a Megatron run would load it: the weights it gives are PEFT's."""
    hf, peft = scratch / "hf", scratch / "peft"
    tiny_models.make(next(row for row in FAMILIES if row.name == "llama"), hf)
    torch.manual_seed(1)
    config = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=["q_proj", "v_proj", "up_proj", "down_proj"], use_rslora=True,
                        init_lora_weights=False)
    adapted = get_peft_model(tiny_models.load(hf)[0], config).eval()
    adapted.save_pretrained(peft)
    run_ok(checks, convert, "--load-dir", hf, "--lora-load", peft, "--save-dir", scratch / "adapter", "--save-lora", "--tp", "2", "--pp", "2")
    run_ok(checks, convert, "--load-dir", hf, "--save-dir", scratch / "base", "--pp", "4")
    run_ok(checks, convert, "--load-dir", scratch / "base", "--lora-load", scratch / "adapter", "--save-dir", scratch / "merged")
    ids = tiny_models.token_ids()
    wanted = tiny_models.logits(adapted, ids)
    found = tiny_models.logits(tiny_models.load(scratch / "merged")[0], ids)
    difference = (found - wanted).abs().max().item()
    checks.expect(difference < 1e-4, f"a PEFT adapter by way of Megatron: the logits differ by {difference}")
    print(f"a PEFT adapter by way of Megatron: the largest difference of logits is {difference:.1e}")


def check_torch_dist(checks, convert, scratch):
    """A torch_dist checkpoint with Megatron-Bridge's adapters beside the weights, all layers of a kind in one tensor."""
    hf, base, adapted, truth = (scratch / name for name in ("hf", "base", "adapted", "truth"))
    tiny_models.make(next(row for row in FAMILIES if row.name == "llama"), hf)
    run_ok(checks, convert, "--load-dir", hf, "--save-dir", base, "--ckpt-format", "torch_dist", "--target", "mcore")
    files = next(path for path in base.iterdir() if (path / "common.pt").exists())
    dcp_to_torch_save(files, scratch / "all.pt")
    found = {name: value for name, value in torch.load(scratch / "all.pt", weights_only=False).items() if torch.is_tensor(value)}
    with_factors, whole = dict(found), dict(found)
    for name, weight in found.items():
        module = name.removesuffix(".weight")
        if not module.endswith(COLUMN + ROW):
            continue
        layers, rows, columns = weight.shape
        left, right = random_factor((layers, rows, RANK), "B", name), random_factor((layers, RANK, columns), "A", name)
        with_factors[f"{module}.adapter.linear_out.weight"], with_factors[f"{module}.adapter.linear_in.weight"] = left, right
        whole[name] = torch.stack([merged(weight[i], left[i], right[i], ALPHA / RANK) for i in range(layers)])
    for directory, tensors in ((adapted, with_factors), (truth, whole)):
        dcp.save(tensors, checkpoint_id=directory / files.name, no_dist=True)
        for name in ("common.pt", "metadata.json"):
            shutil.copy(files / name, directory / files.name / name)
        shutil.copy(base / "latest_checkpointed_iteration.txt", directory)
    options = ("--hf-cfg-dir", hf, "--lora-alpha", str(ALPHA))
    run_ok(checks, convert, "--load-dir", truth, "--save-dir", scratch / "truth_hf", *options)
    run_ok(checks, convert, "--load-dir", adapted, "--save-dir", scratch / "merged", *options)
    same = run(convert, "verify", scratch / "merged", "--against", scratch / "truth_hf")
    checks.equal(same.returncode, 0, f"torch_dist, merged: {same.stdout} {same.stderr}")
    if run_ok(checks, convert, "--load-dir", adapted, "--save-dir", scratch / "peft", "--save-lora", *options):
        check_tensors(checks, "torch_dist", hf, scratch / "peft", scratch / "truth_hf")


def main():
    checks, convert = Checks(), tool("ckpt_convert")
    torch.set_num_threads(1)
    for case in CASES:
        with temporary_directory() as name:
            check_case(checks, convert, case, Path(name))
    for check in (check_torch_dist, check_import):
        with temporary_directory() as name:
            check(checks, convert, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
