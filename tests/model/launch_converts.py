"""A set of `ckpt_convert launch` has a first script that runs: it ends with 0 on the checkpoint, or the set is refused as the conversion is.

Real checkpoints of a few tensors, of all kinds that conversions refuse, and the same with their config.json alone.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checkpoints import Tensor, read_safetensors, write_safetensors  # noqa: E402
from checks import Checks, make_tiny, run, temporary_directory, tool  # noqa: E402
from model_cases import CASES, write_checkpoint  # noqa: E402

TARGETS = {"mindspeed-llm": ["--target", "mindspeed"], "megatron": ["--target", "mcore@0.17.1", "--ckpt-format", "torch_dist"]}
VISION = "model.vision_tower.patch.weight"
MULTIMODAL = {"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava", "vision_config": {"model_type": "clip_vision_model"}}


def tensors_of(directory):
    out = {}
    for file in sorted(directory.glob("*.safetensors")):
        out.update(read_safetensors(file))
    return out


def whole(directory, config, tensors):
    """A checkpoint of one file."""
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps(config))
    write_safetensors(directory / "model.safetensors", tensors)
    return directory


def checkpoints(work, llama, tensors):
    """By name: a directory, and the options that its conversion needs."""
    config = json.loads((llama / "config.json").read_text())
    yield "plain", llama, []
    yield "family", llama, ["--model-type-hf", "llama2"]
    yield "an odd vocabulary", llama, ["--tp", "4", "--make-vocab-size-divisible-by", "128"]
    yield "a TP that does not divide", llama, ["--tp", "3"]
    inner = {f"model.language_model.{name.removeprefix('model.')}" if name.startswith("model.") else name: tensor for name, tensor in tensors.items()}
    multimodal = whole(work / "multimodal", {**MULTIMODAL, "text_config": config}, {**inner, VISION: Tensor("BF16", (2, 2), bytes(8))})
    yield "multimodal", multimodal, []
    yield "language part", multimodal, ["--language-part"]
    name = "model.layers.0.mlp.up_proj.weight"
    rows, columns = tensors[name].shape
    scaled = {**tensors, name: Tensor("F8_E4M3", (rows, columns), bytes(rows * columns)),
              f"{name}_scale_inv": Tensor("F32", (-(-rows // 128), -(-columns // 128)), bytes(4 * -(-rows // 128) * -(-columns // 128)))}
    quantised = whole(work / "quantised", {**config, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}, scaled)
    yield "quantised", quantised, []
    yield "dequantised", quantised, ["--dequantize", "bf16"]
    yield "a tensor too few", whole(work / "few", config, {key: value for key, value in tensors.items() if key != name}), []
    yield "a tensor too many", whole(work / "many", config, {**tensors, "model.extra.weight": Tensor("BF16", (2, 2), bytes(8))}), []
    # The layers for multi-token prediction are converted where they are asked for.
    case = json.loads((CASES / "deepseek32_mtp.json").read_text())
    write_checkpoint(case, work / "predicting")
    for options in ([], case["take"]):
        yield f"multi-token prediction {' '.join(options)}", work / "predicting", [*options, "--tp", "1", "--pp", "1"]
    for source, copy in ((multimodal, "multimodal, config alone"), (quantised, "quantised, config alone")):
        directory = work / copy.replace(", ", "_").replace(" ", "_")
        directory.mkdir()
        shutil.copy(source / "config.json", directory)
        yield copy, directory, []


def script_ends(script):
    environment = {**os.environ, "PATH": f"{Path(tool('ckpt_convert')).parent}:{os.environ['PATH']}"}
    return subprocess.run(["bash", script], capture_output=True, text=True, env=environment)


def check_one(checks, what, target, model, options, out):
    done = run(tool("ckpt_convert"), "launch", model, out, "--target", target, "--devices", "12", *options)
    if "alone" in what:
        word = "--language-part" if "multimodal" in what else "--dequantize"
        return checks.expect(done.returncode == 5 and word in done.stderr and not out.exists(), f"{what}: {done.returncode} {done.stderr}")
    # At once, as the set's script would: with its layout where it has one.
    words = [word for word in (["--tp", "1", "--pp", "1"] if target == "mindspeed-llm" and "--tp" not in options else [])]
    layout = [*options] if target == "mindspeed-llm" else [word for i, word in enumerate(options) if "--tp" not in (word, options[i - 1] if i else "")]
    convert = run(tool("ckpt_convert"), "convert", model, out / "mcore", "--to", "mcore", *TARGETS[target], *words, *layout, "--dry-run")
    if done.returncode != 0:
        checks.expect(not out.exists(), f"{what}: a refused set is written")
        # What does not divide is said in the words of the layout.
        same = convert.stderr.strip() == done.stderr.strip() or "divide" in done.stderr
        return checks.expect(same and (convert.returncode == done.returncode or "divide" in done.stderr),
                             f"{what}: launch says {done.returncode} {done.stderr}, the conversion {convert.returncode} {convert.stderr}")
    checks.equal(convert.returncode, 0, f"{what}: the conversion is refused, and its scripts are not: {convert.stderr}")
    ended = script_ends(out / "convert_to_mcore.sh")
    checks.equal(ended.returncode, 0, f"{what}: convert_to_mcore.sh: {ended.stdout}{ended.stderr}")
    if "multi-token" in what:
        converted = run(tool("ckpt_convert"), "inspect", out / "mcore").stdout
        said = ["--mtp-num-layers" in (out / "model.sh").read_text(), "mtp" in converted]
        checks.equal(said, ["--mtp-num-layers" in options] * 2, f"{what}: the modules, in the training and in the checkpoint")
    for page in ("README.md", "README.zh.md"):
        text = (out / page).read_text()
        checks.equal("--language-part" in text, "--language-part" in options, f"{what}: {page} says what is left out")
        checks.equal("--dequantize" in text, "--dequantize" in options, f"{what}: {page} says that weights are dequantised")
    if target == "mindspeed-llm":
        again = run(tool("ckpt_convert"), "launch", out / "mcore", out.with_name(out.name + "_again"), "--devices", "12")
        checks.equal(again.returncode, 0, f"{what}: of the checkpoint: {again.stderr}")
        checks.expect(not (out.with_name(out.name + "_again") / "convert_to_mcore.sh").exists(), f"{what}: a conversion of what is converted")


def main():
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        make_tiny(checks, "llama2", work / "llama", "--layers", "2")
        tensors = tensors_of(work / "llama")
        for number, (what, model, options) in enumerate(checkpoints(work, work / "llama", tensors)):
            for target in TARGETS:
                check_one(checks, f"{what}, {target}", target, model, options, work / f"set_{number}_{target}")
        for has_tokenizer in (True, False):
            out = work / f"tokenizer_{has_tokenizer}"
            done = run(tool("ckpt_convert"), "launch", work / "llama", out, "--devices", "8")
            checks.equal((done.returncode, "there is no tokenizer" in done.stdout), (0, not has_tokenizer), f"tokenizer {has_tokenizer}: {done.stdout}{done.stderr}")
            for file in (work / "llama").glob("tokenizer*"):
                file.unlink()
        inside = run(tool("ckpt_convert"), "launch", work / "llama", work / "llama/set")
        checks.expect(inside.returncode == 2 and "inside" in inside.stderr and not (work / "llama/set").exists(), f"inside of the model: {inside.returncode} {inside.stderr}")
        bare = work / "adapter"
        bare.mkdir()
        (bare / "adapter_config.json").write_text("{}")
        write_safetensors(bare / "adapter_model.safetensors", {"base_model.model.model.layers.0.mlp.up_proj.lora_A.weight": Tensor("BF16", (2, 2), bytes(8))})
        refused = run(tool("ckpt_convert"), "launch", bare, work / "of_adapter")
        checks.expect(refused.returncode not in (0, 70) and not (work / "of_adapter").exists(), f"an adapter alone: {refused.returncode} {refused.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
