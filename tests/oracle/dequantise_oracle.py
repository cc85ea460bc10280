"""Quantises a tiny model with torch, in every known way, and holds what ckpt_convert makes of it to the formulas, bit for bit."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run, run_ok, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402
from transformers.integrations.mxfp4 import convert_moe_packed_tensors  # noqa: E402
from transformers.utils import logging  # noqa: E402

logging.set_verbosity_error()
logging.disable_progress_bar()

torch.set_num_threads(1)
BLOCK = (96, 80)  # divides neither side, so that there are smaller blocks at the edges
FP4 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0])


def whole_range(shape, codes):
    """Every code at least once, in an order without pattern."""
    count = shape[0] * shape[1]
    return (torch.arange(count) * 7919 % codes).reshape(shape)


def spread(values, scales, block):
    rows, columns = values.shape
    return scales.repeat_interleave(block[0], 0)[:rows].repeat_interleave(block[1], 1)[:, :columns]


def random_scales(shape):
    return torch.rand(shape, dtype=torch.float32) * 0.01 + 1e-4


def nibbles(codes):
    """Two values to a byte, the first in the lower half."""
    return (codes[..., 0::2] | codes[..., 1::2] << 4).to(torch.uint8)


def fp8(shape):
    codes = whole_range(shape, 256)
    codes[(codes & 127) == 127] = 0  # NaN
    return codes.to(torch.uint8).view(torch.float8_e4m3fn)


def fp8_blocks(stem, shape):
    values, scales = fp8(shape), random_scales([-(-size // step) for size, step in zip(shape, BLOCK)])
    return {f"{stem}.weight": values, f"{stem}.weight_scale_inv": scales}, values.float() * spread(values, scales, BLOCK)


def fp8_tensor(stem, shape):
    values, scale = fp8(shape), torch.tensor([0.0123])
    return {f"{stem}.weight": values, f"{stem}.weight_scale": scale, f"{stem}.input_scale": scale * 2}, values.float() * scale


def fp8_rows(stem, shape):
    values, scales = fp8(shape), random_scales((shape[0], 1)).bfloat16()
    return {f"{stem}.weight": values, f"{stem}.weight_scale": scales}, values.float() * scales.float()


def int8_rows(stem, shape):
    values = (whole_range(shape, 256) - 128).to(torch.int8)
    scales, offsets = random_scales((shape[0], 1)), torch.randint(-9, 9, (shape[0], 1)).float()
    stored = {f"{stem}.weight": values, f"{stem}.weight_scale": scales, f"{stem}.weight_offset": offsets}
    return stored, (values.float() - offsets) * scales


def int4_in_bytes(stem, shape):
    values = (whole_range(shape, 16) - 8).to(torch.int8)
    scales = random_scales((shape[0], shape[1] // 32))
    offsets = torch.zeros_like(scales)
    stored = {f"{stem}.weight": values, f"{stem}.weight_scale": scales, f"{stem}.weight_offset": offsets}
    return stored, values.float() * spread(values, scales, (1, 32))


def int4_packed(stem, shape):
    codes = whole_range(shape, 16)
    scales = random_scales((shape[0], shape[1] // 64)).bfloat16()
    words = sum(codes[:, i::8] << 4 * i for i in range(8))
    packed = (words - (words >= 2**31) * 2**32).to(torch.int32)
    stored = {f"{stem}.weight_packed": packed, f"{stem}.weight_scale": scales, f"{stem}.weight_shape": torch.tensor(shape)}
    return stored, (codes - 8).float() * spread(codes, scales.float(), (1, 64))


def mxfp4(stem, shape):
    codes = whole_range(shape, 16)
    scales = torch.randint(100, 135, (shape[0], shape[1] // 32), dtype=torch.uint8)
    scales[0, 0] = 0  # 2^-127, which is no normal number
    value = torch.ldexp(FP4[codes], spread(codes, scales.int() - 127, (1, 32)))
    return {f"{stem}.weight_packed": nibbles(codes), f"{stem}.weight_scale": scales}, value


WAYS = {"q_proj": fp8_blocks, "k_proj": fp8_rows, "v_proj": fp8_tensor, "o_proj": int8_rows, "gate_proj": int4_in_bytes,
        "up_proj": int4_packed, "down_proj": mxfp4}


def quantise(source, target):
    """Another checkpoint of the same model, and what its weights are."""
    stored, wanted = {}, {}
    for path in sorted(source.glob("*.safetensors")):
        for name, tensor in load_file(path).items():
            stem = name.removesuffix(".weight")
            way = WAYS.get(stem.rpartition(".")[2])
            if way is None:
                stored[name] = tensor
            else:
                parts, wanted[name] = way(stem, tuple(tensor.shape))
                stored.update(parts)
    target.mkdir()
    save_file({name: tensor.contiguous() for name, tensor in stored.items()}, target / "model.safetensors")
    config = json.loads((source / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "fp8 \"and\" {others}", "weight_block_size": list(BLOCK)}
    (target / "config.json").write_text(json.dumps(config, indent=1))
    return wanted


def check_exact(checks, convert, source, wanted, dtype, scratch):
    """To Megatron with two ranks each way, and back: what comes out are the values of the formulas."""
    megatron, back = scratch / f"megatron_{dtype}", scratch / f"back_{dtype}"
    if not run_ok(checks, convert, "--load-dir", source, "--save-dir", megatron, "--tp", "2", "--pp", "2", "--dequantize", dtype):
        return
    run_ok(checks, convert, "verify", source, "--against", megatron)
    if not run_ok(checks, convert, "--load-dir", megatron, "--save-dir", back):
        return
    found = {}
    for path in back.glob("*.safetensors"):
        found.update(load_file(path))
    integer, element = (torch.int16, torch.bfloat16) if dtype == "bf16" else (torch.int32, torch.float32)
    for name, value in wanted.items():
        checks.expect(torch.equal(found[name].view(integer), value.to(element).view(integer)), f"{name} as {dtype}")
    config = json.loads((back / "config.json").read_text())
    checks.expect("quantization_config" not in config, "the config still speaks of quantisation")


def check_stacked(checks, convert, scratch):
    """MXFP4 experts of a layer in one tensor are rows of outputs, the same as bf16 are columns. Square ones are told apart too."""
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "head_dim": 8, "vocab_size": 64, "num_local_experts": 4, "max_position_embeddings": 64}
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("gpt_oss", **sizes), dtype=torch.bfloat16)
    source, megatron, back = scratch / "stacked", scratch / "stacked_megatron", scratch / "stacked_back"
    model.save_pretrained(source)
    stored, wanted = load_file(source / "model.safetensors"), {}
    for name in [name for name in stored if name.endswith(("gate_up_proj", "down_proj"))]:
        experts, inputs, outputs = stored.pop(name).shape
        blocks = torch.randint(0, 256, (experts, outputs, inputs // 32, 16), dtype=torch.uint8)
        scales = torch.randint(120, 130, blocks.shape[:-1], dtype=torch.uint8)
        stored[name + "_blocks"], stored[name + "_scales"] = blocks, scales
        wanted[name] = convert_moe_packed_tensors(blocks, scales)
    save_file(stored, source / "model.safetensors")
    if not run_ok(checks, convert, "--load-dir", source, "--save-dir", megatron, "--dequantize", "bf16", "--target", "mcore",
                  "--tp", "2", "--ep", "2", "--etp", "1", "--moe-grouped-gemm"):
        return
    run_ok(checks, convert, "--load-dir", megatron, "--save-dir", back)
    found = load_file(back / "model.safetensors")
    checks.equal(len(wanted), 4, "the number of quantised tensors of experts")
    for name, value in wanted.items():
        checks.expect(torch.equal(found[name], value), f"{name} in the files")
    _, notes = AutoModelForCausalLM.from_pretrained(back, output_loading_info=True, local_files_only=True)
    checks.equal([sorted(notes[kind]) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")], [[], [], []], "keys")


def main():
    checks, convert = Checks(), tool("ckpt_convert")
    torch.manual_seed(1)
    with temporary_directory() as name:
        scratch = Path(name)
        check_stacked(checks, convert, scratch)
        make_tiny(checks, "qwen3", scratch / "plain")
        wanted = quantise(scratch / "plain", scratch / "quantised")
        checks.equal(len(wanted), 4 * len(WAYS), "the number of quantised tensors")
        # Norms and embeddings stay bf16, and all parts of a tensor must have one type.
        for dtype in ("bf16", "fp32"):
            check_exact(checks, convert, scratch / "quantised", wanted, dtype, scratch)
        refused = run(convert, "--load-dir", scratch / "quantised", "--save-dir", scratch / "refused")
        checks.equal(refused.returncode, 5, "the exit code without --dequantize")
        checks.expect("--dequantize bf16" in refused.stderr, refused.stderr)
        checks.expect(not (scratch / "refused").exists(), "a refused conversion wrote something")
    checks.finish()


if __name__ == "__main__":
    main()
