"""Runs the conversion cases of tests/golden/conversion with the command line of MindSpeed-LLM.

    conversion_cases.py [NAME...]

Each case names a configuration, the Hugging Face tensors (their bits follow from their names), the options, and for
every file and key of the result the shape and the first 16 digits of the SHA-256 of the bytes.
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


EMBEDDING = "model.embed_tokens.weight"


def input_tensors(case):
    """Bits by name; copies of the embedding, which layers for multi-token prediction have, are copies, as in real checkpoints."""
    return {name: crc_filled(EMBEDDING if name.endswith(".embed_tokens.weight") else name, shape) for name, shape in case["hf"].items()}


def embedding_digests(case):
    """By TP rank: the embedding of the first stage, of which the stage with multi-token prediction has a copy."""
    return {rank.split("_")[2]: models[min(models)]["embedding.word_embeddings.weight"]
            for rank, models in sorted(case["files"].items(), reverse=True) if "embedding.word_embeddings.weight" in models[min(models)]}


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
    files = megatron_files(target)
    checks.equal(sorted(files), sorted(case["files"]), f"{name}: rank directories")
    for rank, models in case["files"].items():
        if rank not in files:
            continue
        content = read_torch_file(files[rank])
        checks.equal(sorted(key for key in content if key.startswith("model")), sorted(models), f"{name}/{rank}: models")
        for model, wanted in models.items():
            found = content.get(model, {})
            checks.equal(sorted(found), sorted(wanted), f"{name}/{rank}/{model}: keys")
            for key, (shape, digest) in wanted.items():
                if key == "embedding.word_embeddings.weight":
                    shape, digest = embedding_digests(case)[rank.split("_")[2]]
                if key in found:
                    tensor = found[key]
                    checks.equal((list(tensor.shape), tensor.dtype, tensor.short_hash()), (shape, "BF16", digest),
                                 f"{name}/{rank}/{model}/{key}")


def main():
    checks = Checks()
    wanted = sys.argv[1:]
    paths = [path for path in sorted(CASES.glob("*.json")) if not wanted or path.stem in wanted]
    with temporary_directory() as directory:
        for path in paths:
            before = len(checks.failures)
            check_case(checks, path, Path(directory))
            print(f"{'ok' if len(checks.failures) == before else 'FAILED':6} {path.stem}")
    checks.finish()


if __name__ == "__main__":
    main()
