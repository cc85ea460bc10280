"""inspect, verify and verify --against of every format that is read or written, each against each.

The formats that are written are the words of `--to` that the program itself lists; those that are read are the rows of the table in
docs/guides/checkpoint-formats.md, known by their files. A new one without a sample here fails. All samples are one model, trained by PyTorch.
"""

import itertools
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from torch.distributed.checkpoint import HuggingFaceStorageWriter  # noqa: E402
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402

CONFIG = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
          "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 48, "vocab_size": 64, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
          "max_position_embeddings": 64, "tie_word_embeddings": False, "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
          "torch_dtype": "float32"}
# By the word of --to: how a sample of it is asked for, one for each form.
KEEP = ("--optimizer", "keep")
WRITTEN = {
    "hf": {"hf": (), "hf in parts": ("--max-shard-size", "20kB")},
    "mcore": {"mcore": ("--tp", "2", "--pp", "2", *KEEP), "torch_dist": ("--target", "mcore", "--ckpt-format", "torch_dist", *KEEP)},
    "dcp": {"dcp": KEEP, "dcp of no key": ("--weights-key", "", *KEEP)},
    "dtensor": {"dtensor": ("--world", "3", "--mesh-device", "cpu", *KEEP)},
    "universal": {"universal": KEEP},
    "zero": {f"zero {stage}": ("--stage", str(stage), "--world", "2", "--params-dtype", "fp32", *KEEP) for stage in (1, 2, 3)},
    "megatron-fsdp": {"megatron-fsdp": KEEP},
    "mindspore": {"mindspore": ()},
    "vllm": {"vllm": ("--tp", "2")},
}
# Where PEFT's directory is written, too, and in what.
ADAPTERS = {"hf": (), "mcore": ("--tp", "2"), "dcp": (), "dtensor": ("--world", "2", "--mesh-device", "cpu")}
# Rows of the table that are other names or other places of a sample's form, or that only the program itself can write: the test
# that has them, each of which looks at inspect and at verify, too.
ELSEWHERE = {"step-N/.metadata": "other_names_oracle.py", "__R.metadata": "sharded_oracle.py",
             "pytorch_model_fsdp_0_rankR.bin": "sharded_oracle.py", "layer_NN-model_TT-model_states.pt": "deepspeed_oracle.py",
             "layer_L_expert_E_mp_rank_00_model_states.pt": "deepspeed_oracle.py"}


def save(scratch):
    """What PyTorch writes: a DCP with the optimizer, one in safetensors, accelerate's two, FSDP's full state, and PEFT's directory."""
    torch.manual_seed(7)
    model = LlamaForCausalLM(LlamaConfig(**CONFIG)).float()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    tiny.train(model, optimizer)
    state, moments = get_model_state_dict(model), get_optimizer_state_dict(model, optimizer)
    places = {"pytorch": {"model": state, "optimizer": moments}, "accelerate/pytorch_model_fsdp_0": {"model": state},
              "accelerate/optimizer_0": {"optimizer": moments}}
    for name, content in places.items():
        dcp.save(content, checkpoint_id=scratch / name, no_dist=True)
    (scratch / "dcp in safetensors").mkdir()
    dcp.save(dict(state), no_dist=True, storage_writer=HuggingFaceStorageWriter(
        str(scratch / "dcp in safetensors"), fqn_to_index_mapping={name: 1 for name in state}, save_distributed=True))
    (scratch / "full state").mkdir()
    torch.save(state, scratch / "full state/pytorch_model_fsdp.bin")
    torch.save(moments, scratch / "full state/optimizer.bin")
    samples = ["pytorch", "accelerate", "dcp in safetensors", "full state"]
    for name in samples:
        tiny.write_config(scratch / name, CONFIG)
    save_adapter(scratch / "adapter", ["q_proj", "down_proj"])
    return samples


def save_adapter(directory, modules):
    adapted = get_peft_model(LlamaForCausalLM(LlamaConfig(**CONFIG)).float(), LoraConfig(r=4, lora_alpha=10, target_modules=modules))
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.normal_()
    adapted.save_pretrained(directory)
    tiny.write_config(directory, CONFIG)


def make_nemo(scratch):
    """NeMo 2 has Megatron's torch_dist below weights, and beside it what describes the run."""
    shutil.copytree(scratch / "torch_dist", scratch / "nemo/weights")
    for inner in list((scratch / "nemo/weights").glob("iter_*")):
        for path in inner.iterdir():
            path.rename(scratch / "nemo/weights" / path.name)
        inner.rmdir()
    (scratch / "nemo/context").mkdir()
    (scratch / "nemo/context/model.yaml").write_text("_target_: nemo.collections.llm.gpt.model.llama.LlamaModel\n")


def words_of_to():
    """The values of --to, as the program lists them."""
    told = run(tool("ckpt_convert"), "nothing", "nowhere", "--to", "?").stderr
    return set(re.split(r",\s*", told.strip().partition("there are ")[2].partition(";")[0]))


def patterns_of_guide():
    """The first pattern of files of every row of the table of what is read."""
    text = (ROOT / "docs/guides/checkpoint-formats.md").read_text().partition("## What you have")[2].partition("## What you want")[0]
    rows = [line.split("|")[2] for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    return [re.findall(r"`([^`]+)`", row)[0] for row in rows]


def has_files(scratch, pattern):
    """Whether a sample has files of such names, in which capital letters at their places are numbers."""
    glob = re.sub(r"(?<=[_-])(W|R|N|P|NN|TT)(?=[_.-])", "*", pattern)
    return any(scratch.glob(f"*/{glob}")) or any(scratch.glob(f"*/*/{glob}"))


def check_alone(checks, path, kinds):
    convert = tool("ckpt_convert")
    seen = run(convert, "inspect", path, "--json", "--summary")
    if checks.expect(seen.returncode == 0, f"inspect {path.name}: {seen.returncode} {seen.stderr}"):
        found = json.loads(seen.stdout)
        checks.expect(found["kind"] in kinds and found["elements"] > 0 and "not convertible" not in found["facts"],
                      f"inspect {path.name}: {found['kind']}, {found['elements']}, {found['facts'].get('not convertible')}")
    alone = run(convert, "verify", path)
    checks.expect(alone.returncode == 0, f"verify {path.name}: {alone.returncode} {alone.stdout}{alone.stderr}")


def check_pairs(checks, scratch, names, damaged):
    """Each is the same as each other, and none the same as what has another value."""
    for number, pair in enumerate(itertools.combinations(names, 2)):
        one, other = pair if number % 2 == 0 else reversed(pair)
        same = run(tool("ckpt_convert"), "verify", scratch / one, "--against", scratch / other)
        checks.expect(same.returncode == 0, f"{one} against {other}: {same.returncode} {same.stdout}{same.stderr}")
    for one in names:
        differs = run(tool("ckpt_convert"), "verify", scratch / one, "--against", scratch / damaged)
        checks.expect(differs.returncode == 1, f"{one} against {damaged}: {differs.returncode} {differs.stdout}{differs.stderr}")


def damage(source, target, file):
    shutil.copytree(source, target)
    content = bytearray((target / file).read_bytes())
    content[-2] ^= 1
    (target / file).write_bytes(content)


def main():
    checks, convert = Checks(), tool("ckpt_convert")
    checks.equal(set(WRITTEN), words_of_to(), "formats that --to knows")
    with temporary_directory() as directory:
        scratch = Path(directory)
        samples = save(scratch)
        for word, forms in WRITTEN.items():
            for name, options in forms.items():
                if run_ok(checks, convert, "-q", scratch / "pytorch", scratch / name, "--to", word, *options):
                    samples.append(name)
        make_nemo(scratch)
        samples.append("nemo")
        adapters = ["adapter"]
        for word, options in ADAPTERS.items():
            if run_ok(checks, convert, "-q", scratch / "adapter", scratch / f"adapter {word}", "--save-lora", "--to", word, *options):
                adapters.append(f"adapter {word}")
        for pattern in patterns_of_guide():
            known = ELSEWHERE.get(pattern)
            checks.expect(has_files(scratch, pattern) or known is not None and (Path(__file__).parent / known).exists(),
                          f"the guide says that {pattern} is read, and there is no sample of it")
        for name in samples:
            check_alone(checks, scratch / name, ("huggingface", "megatron", "sharded"))
        damage(scratch / "hf", scratch / "other", "model.safetensors")
        check_pairs(checks, scratch, samples, "other")
        for name in adapters:
            check_alone(checks, scratch / name, ("adapter", "megatron", "sharded"))
        damage(scratch / "adapter", scratch / "other adapter", "adapter_model.safetensors")
        check_pairs(checks, scratch, adapters, "other adapter")
        save_adapter(scratch / "joined", ["q_proj", "v_proj"])  # two modules that are one in Megatron
        run_ok(checks, convert, "-q", scratch / "joined", scratch / "joined mcore", "--save-lora", "--to", "mcore")
        for one, other, code, wanted in (("hf", "adapter", 2, "is a LoRA adapter without its model"), ("adapter", "hf", 2, "is a LoRA adapter without its model"),
                                         ("joined", "joined mcore", 5, "the adapters are of rank 4 and 8")):
            refused = run(convert, "verify", scratch / one, "--against", scratch / other)
            checks.expect(refused.returncode == code and wanted in refused.stderr, f"{one} against {other}: {refused.returncode} {refused.stdout}{refused.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
