"""Runs the conversion cases of tests/golden/conversion with the command line of MindSpeed-LLM.

    conversion_cases.py [NAME...]

Each case names a configuration, the Hugging Face tensors (their bits follow from their names), the options, and for
every file and key of the result the shape and the first 16 digits of the SHA-256 of the bytes. MindSpeed-LLM's converter
made them, but for llama2__tp8, which is slices of the tensors as Megatron splits them, worked out without any converter.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import crc_filled, megatron_files, read_torch_file, write_safetensors  # noqa: E402

CASES = ROOT / "tests/golden/conversion"
FILL = "bf16 bits[i] = (crc32(name)+40503*i) mod 65536"
# By the family of the case: model type and class of transformers, or of the model's own code.
HF_TYPES = {
    "baichuan2": ("baichuan", "BaichuanForCausalLM"),
    "deepseek2_lite": ("deepseek_v2", "DeepseekV2ForCausalLM"),
    "deepseek32": ("deepseek_v32", "DeepseekV32ForCausalLM"),
    "deepseek3": ("deepseek_v3", "DeepseekV3ForCausalLM"),
    "glm45": ("glm4_moe", "Glm4MoeForCausalLM"),
    "gemma2": ("gemma2", "Gemma2ForCausalLM"),
    "llama2": ("llama", "LlamaForCausalLM"),
    "phi35": ("phi3", "Phi3ForCausalLM"),
    "qwen2_moe": ("qwen2_moe", "Qwen2MoeForCausalLM"),
    "qwen3_next": ("qwen3_next", "Qwen3NextForCausalLM"),
    "qwen3_moe": ("qwen3_moe", "Qwen3MoeForCausalLM"),
    "qwen25": ("qwen2", "Qwen2ForCausalLM"),
    "qwen3": ("qwen3", "Qwen3ForCausalLM"),
}


def write_input(case, directory):
    directory.mkdir()
    model_type, architecture = HF_TYPES[case["family"]]
    config = {**case["config"], "model_type": model_type, "architectures": [architecture]}
    (directory / "config.json").write_text(json.dumps(config, indent=2))
    write_safetensors(directory / "model.safetensors", input_tensors(case))
    (directory / "tokenizer.model").write_bytes(b"not read")


def input_tensors(case):
    """Bits by name: also of layers for multi-token prediction, whose embedding thus is one of their own."""
    return {name: crc_filled(name, shape) for name, shape in case["hf"].items()}


def check_files(checks, case, target):
    """Whether a Megatron directory has the files, keys, shapes and bits of the case."""
    files = megatron_files(target)
    checks.equal(sorted(files), sorted(case["files"]), "rank directories")
    for rank, models in case["files"].items():
        if rank not in files:
            continue
        content = read_torch_file(files[rank])
        checks.equal(sorted(key for key in content if key.startswith("model")), sorted(models), f"{rank}: models")
        for model, wanted in models.items():
            found = content.get(model, {})
            checks.equal(sorted(found), sorted(wanted), f"{rank}/{model}: keys")
            for key, (shape, digest) in wanted.items():
                if key in found:
                    tensor = found[key]
                    checks.equal((list(tensor.shape), tensor.dtype, tensor.short_hash()), (shape, "BF16", digest),
                                 f"{rank}/{model}/{key}")


def check_aliases(checks, case, target):
    """The names by which MindSpeed-LLM's way back, convert_mg2hf.py, knows the arguments, which it reads from the files."""
    args = vars(read_torch_file(next(iter(megatron_files(target).values())))["args"])
    config, options = case["config"], case["options"]
    if not args["multi_latent_attention"]:
        checks.equal(args["num_key_value_heads"], config["num_key_value_heads"], "num_key_value_heads")
    if "dualpipev" in options:
        stages = 2 * int(options[options.index("--target-pipeline-parallel-size") + 1])
        checks.equal(args["num_layers_per_virtual_pipeline_stage"], args["num_layers"] // stages,
                     "num_layers_per_virtual_pipeline_stage")


def check_case(checks, path, work):
    case = json.loads(path.read_text())
    name = path.stem
    if not checks.equal(case["fill"], FILL, f"{name}: fill rule"):
        return
    source, target = work / f"{name}_hf", work / f"{name}_mg"
    write_input(case, source)
    done = run(tool("ckpt_convert"), "--model-type", "GPT", "--load-model-type", "hf", "--save-model-type", "mg",
               *case["options"], "--model-type-hf", case["model_type_hf"], "--load-dir", source, "--save-dir", target,
               "--tokenizer-model", source / "tokenizer.model")
    if not checks.expect(done.returncode == 0, f"{name}: exit code {done.returncode}: {done.stdout}{done.stderr}"):
        return
    check_files(checks, case, target)
    check_aliases(checks, case, target)


def main():
    checks = Checks()
    wanted = sys.argv[1:]
    paths = [path for path in sorted(CASES.glob("*.json")) if not wanted or path.stem in wanted]
    with temporary_directory() as directory:
        for path in paths:
            before = len(checks.failures)
            check_case(checks, path, Path(directory))
            checks.failures[before:] = [f"{path.stem}: {failure}" for failure in checks.failures[before:]]
            print(f"{'ok' if len(checks.failures) == before else 'FAILED':6} {path.stem}")
    checks.finish()


if __name__ == "__main__":
    main()
