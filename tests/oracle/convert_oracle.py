"""Converts tiny models there and back and asks torch, safetensors and transformers what they make of the files."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run_ok, temporary_directory, tool  # noqa: E402
from checkpoints import megatron_directory, megatron_files, payload_offsets, read_torch_file  # noqa: E402

import torch  # noqa: E402
from safetensors import safe_open  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402
from transformers.utils import logging  # noqa: E402

FAMILIES = ("llama2", "qwen15", "qwen3")
LAYOUTS = [(tensor, pipeline) for tensor in (1, 2, 4) for pipeline in (1, 2)]

torch.serialization.add_safe_globals([argparse.Namespace])
torch.set_num_threads(1)
logging.set_verbosity_error()
logging.disable_progress_bar()


def hf_tensors(directory):
    """Every tensor of a Hugging Face directory, read with the safetensors package."""
    tensors = {}
    for path in sorted(directory.glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():
                assert name not in tensors, name
                tensors[name] = file.get_tensor(name)
    return tensors


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one.view(torch.int16), other.view(torch.int16))


def expected_args(config, tensor, pipeline):
    return {
        "num_layers": config["num_hidden_layers"],
        "hidden_size": config["hidden_size"],
        "num_attention_heads": config["num_attention_heads"],
        "add_position_embedding": True,
        "tensor_model_parallel_size": tensor,
        "pipeline_model_parallel_size": pipeline,
        "ffn_hidden_size": config["intermediate_size"],
        "padded_vocab_size": config["vocab_size"],
        "untie_embeddings_and_output_weights": not config["tie_word_embeddings"],
    }


def expected_shapes(config, rank, tensor, pipeline):
    """Some tensors of a rank's file and their shapes, from the sizes alone."""
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    groups = config["num_key_value_heads"]
    head = config.get("head_dim", hidden // heads)
    stage = int(rank.split("_")[3]) if pipeline > 1 else 0
    shapes = {
        "decoder.layers.0.self_attention.linear_qkv.weight": ((heads + 2 * groups) * head // tensor, hidden),
        "decoder.layers.0.self_attention.linear_proj.weight": (hidden, heads * head // tensor),
        "decoder.layers.0.mlp.linear_fc1.weight": (2 * config["intermediate_size"] // tensor, hidden),
        "decoder.layers.0.mlp.linear_fc2.weight": (hidden, config["intermediate_size"] // tensor),
        "decoder.layers.0.input_layernorm.weight": (hidden,),
    }
    if stage == 0:
        shapes["embedding.word_embeddings.weight"] = (config["vocab_size"] // tensor, hidden)
    if stage == pipeline - 1:
        shapes["decoder.final_layernorm.weight"] = (hidden,)
        if pipeline > 1 or not config["tie_word_embeddings"]:
            shapes["output_layer.weight"] = (config["vocab_size"] // tensor, hidden)
    return shapes


def check_megatron(checks, name, root, config, tensor, pipeline):
    directory, tracker = megatron_directory(root)
    iteration = 0 if tracker == "release" else int(tracker)
    files = megatron_files(root)
    checks.equal(len(files), tensor * pipeline, f"{name}: number of files")
    for rank, path in files.items():
        what = f"{name}/{rank}"
        content = torch.load(path, weights_only=True)
        checks.equal(content["checkpoint_version"], 3.0, f"{what}: checkpoint_version")
        checks.equal(content["iteration"], iteration, f"{what}: iteration, as the tracker file says")
        args = content["args"]
        checks.equal(type(args), argparse.Namespace, f"{what}: type of args")
        for key, value in expected_args(config, tensor, pipeline).items():
            checks.equal(getattr(args, key, "missing"), value, f"{what}: args.{key}")
        for key, shape in expected_shapes(config, rank, tensor, pipeline).items():
            checks.equal(tuple(content["model"][key].shape) if key in content["model"] else "missing", shape, f"{what}: {key}")
        for key, value in content["model"].items():
            checks.expect(value.dtype == torch.bfloat16 and value.is_contiguous() and value.storage_offset() == 0,
                          f"{what}: {key} has its own contiguous storage")
        for member, offset in payload_offsets(path).items():
            checks.expect("/data/" not in member or offset % 64 == 0, f"{what}: {member} begins at {offset}, not at a multiple of 64")
        # The same with the reader of the tests, which also checks every checksum.
        own = read_torch_file(path)
        checks.equal(sorted(own["model"]), sorted(content["model"]), f"{what}: keys with the tests' reader")
        checks.expect(all(bytes(content["model"][key].view(torch.uint8).numpy().tobytes()) == tensor_.data
                          for key, tensor_ in own["model"].items()), f"{what}: bytes with the tests' reader")


def check_loads(checks, name, directory):
    """transformers takes the directory and misses nothing; gives the logits of some tokens."""
    model, notes = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, output_loading_info=True,
                                                        local_files_only=True)
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        checks.equal(sorted(notes.get(kind, [])), [], f"{name}: {kind} in transformers")
    with torch.no_grad():
        return model(torch.arange(1, 17).unsqueeze(0)).logits


def check_family(checks, family, work):
    convert = tool("ckpt_convert")
    source, in_bin = work / f"{family}_hf", work / f"{family}_bin"
    make_tiny(checks, family, source)
    make_tiny(checks, family, in_bin, "--format", "bin", "--shards", "3")
    config = json.loads((source / "config.json").read_text())
    original = hf_tensors(source)
    logits = check_loads(checks, f"{family}, as made", source)
    for tensor, pipeline in LAYOUTS:
        name = f"{family} tp{tensor} pp{pipeline}"
        layout = ("--tp", tensor, "--pp", pipeline)
        there, back = work / name.replace(" ", "_"), work / (name.replace(" ", "_") + "_back")
        if not run_ok(checks, convert, "--load-dir", source, "--save-dir", there, *layout):
            continue
        check_megatron(checks, name, there, config, tensor, pipeline)
        if run_ok(checks, convert, "--load-dir", there, "--save-dir", back, "--hf-cfg-dir", source):
            again = hf_tensors(back)
            checks.equal(sorted(again), sorted(original), f"{name}, and back: names")
            for key in set(again) & set(original):
                checks.expect(same_bits(again[key], original[key]), f"{name}, and back: {key} differs")
            if (tensor, pipeline) in ((1, 1), (4, 2)):
                checks.expect(torch.equal(check_loads(checks, f"{name}, and back", back), logits), f"{name}, and back: logits differ")
        if (tensor, pipeline) in ((1, 1), (2, 2)):
            from_bin = work / (name.replace(" ", "_") + "_from_bin")
            if run_ok(checks, convert, "--load-dir", in_bin, "--save-dir", from_bin, *layout):
                one, other = megatron_files(there), megatron_files(from_bin)
                checks.equal(sorted(other), sorted(one), f"{name} from .bin: files")
                for rank in set(one) & set(other):
                    checks.expect(read_torch_file(one[rank])["model"] == read_torch_file(other[rank])["model"],
                                  f"{name}/{rank}: .bin and safetensors give different tensors")


def main():
    checks = Checks()
    for family in FAMILIES:
        with temporary_directory() as directory:
            before = len(checks.failures)
            check_family(checks, family, Path(directory))
            print(f"{'ok' if len(checks.failures) == before else 'FAILED':6} {family}")
    checks.finish()


if __name__ == "__main__":
    main()
