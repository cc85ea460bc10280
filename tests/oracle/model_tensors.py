"""Compares the tensors that the cases of rules/models/cases list with those of transformers itself, and lets it load what comes back.

For each case of a model that transformers has: it makes the model, which is converted as the case says and back; from that it must
load every weight, and miss none.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import torch  # noqa: E402
from safetensors import safe_open  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMultimodalLM  # noqa: E402
from transformers.utils import logging  # noqa: E402

torch.set_num_threads(1)
logging.set_verbosity_error()
logging.disable_progress_bar()


def make(case, directory):
    """A saved model with weights at random, none of which is a one or a zero."""
    values = dict(case["config"])
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(values.pop("model_type"), **values), dtype=torch.bfloat16)
    for name, tensor in model.state_dict().items():
        # What some layouts store less 1 is between 1/2 and 2, where nothing is lost.
        if name.endswith("norm.weight"):
            tensor.uniform_(0.5, 1.9)
        elif "inv_freq" not in name:
            tensor.normal_()
        for end, unused in case.get("unused", {}).items():
            if name.endswith(end):
                tensor.flatten()[:unused] = 0
    model.save_pretrained(directory)
    return model


def tensors_of(directory):
    """Name and shape of every tensor that save_pretrained wrote."""
    with safe_open(directory / "model.safetensors", framework="pt") as file:
        return {name: file.get_slice(name).get_shape() for name in file.keys()}


def check_loads(checks, name, case, model, source, work):
    there, back = work / f"{name}_megatron", work / f"{name}_back"
    layout = [*case["options"], *case.get("take", [])]
    if not (run_ok(checks, tool("ckpt_convert"), "--load-dir", source, "--save-dir", there, *layout)
            and run_ok(checks, tool("ckpt_convert"), "--load-dir", there, "--save-dir", back)):
        return
    loaded, notes = AutoModelForCausalLM.from_pretrained(back, output_loading_info=True, local_files_only=True)
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        checks.equal(sorted(notes.get(kind, [])), [], f"{name}: {kind} in transformers")
    weights = loaded.state_dict()
    different = [key for key, value in model.state_dict().items() if not torch.equal(weights[key], value)]
    checks.equal(different, [], f"{name}: weights that transformers has otherwise")


TEXT = {"num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 24,
        "vocab_size": 32, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
QWEN_VISION = {"depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2, "out_hidden_size": 16}
LANGUAGE_LAYOUT = ("--target", "mcore", "--tp", "2")
# Multimodal models: model type and config; the language model is compared.
MULTIMODAL = (
    ("qwen2_5_vl", {"text_config": {**TEXT, "head_dim": 4, "tie_word_embeddings": False,
                                    "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 0], "rope_theta": 1e6}},
                    "vision_config": {**QWEN_VISION, "fullatt_block_indexes": [0]}}),
    ("qwen3_vl", {"text_config": {**TEXT, "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 1e6}},
                  "vision_config": {**QWEN_VISION, "deepstack_visual_indexes": []}}),
    ("qwen3_vl_moe", {"text_config": {**TEXT, "tie_word_embeddings": False, "num_experts": 2, "moe_intermediate_size": 6, "num_experts_per_tok": 1,
                                      "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 1e6}},
                      "vision_config": {**QWEN_VISION, "deepstack_visual_indexes": []}}),
    ("qwen3_5", {"text_config": {**TEXT, "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2, "linear_num_value_heads": 2,
                                 "linear_key_head_dim": 4, "linear_value_head_dim": 4}, "vision_config": QWEN_VISION}),
    ("glm4v_moe", {"text_config": {**TEXT, "n_routed_experts": 2, "moe_intermediate_size": 6, "num_experts_per_tok": 1, "first_k_dense_replace": 1},
                   "vision_config": {**QWEN_VISION, "out_hidden_size": 16}}),
    ("minimax_m3_vl", {"text_config": {**TEXT, "dense_intermediate_size": 20, "shared_intermediate_size": 8, "num_local_experts": 2,
                                       "num_experts_per_tok": 1, "rotary_dim": 4, "mlp_layer_types": ["dense", "sparse"]},
                       "vision_config": {**VISION, "patch_size": 14, "temporal_patch_size": 2}}),
    ("exaone4_5", {"text_config": {"model_type": "exaone4", **TEXT}, "vision_config": QWEN_VISION}),
    ("gemma3", {"text_config": TEXT, "vision_config": VISION, "mm_tokens_per_image": 4}),
    ("gemma4", {"text_config": {**TEXT, "num_hidden_layers": 4, "hidden_size_per_layer_input": 4, "vocab_size_per_layer_input": 32,
                                "num_kv_shared_layers": 2, "use_double_wide_mlp": True, "global_head_dim": 12,
                                "layer_types": ["sliding_attention", "full_attention"] * 2},
                "vision_config": {key: value for key, value in VISION.items() if key != "image_size"}}),
    ("qwen2_audio", {"text_config": {"model_type": "qwen2", **TEXT, "head_dim": 4, "tie_word_embeddings": False},
                     "audio_config": {"d_model": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16, "num_mel_bins": 8}}),
    ("ovis2", {"text_config": {"model_type": "qwen2", **TEXT, "head_dim": 4, "tie_word_embeddings": False}, "vision_config": VISION}),
    ("mistral3", {"text_config": {"model_type": "ministral3", **TEXT}, "vision_config": {"model_type": "pixtral", **VISION}}),
)


def check_language_part(checks, kind, config, work):
    """Refused as it is; with the option a text model that transformers loads, with the weights of the language model."""
    source, there, back = (work / f"multimodal_{kind}_{what}" for what in ("hf", "megatron", "text"))
    model = AutoModelForMultimodalLM.from_config(AutoConfig.for_model(kind, **config), dtype=torch.bfloat16)
    model.save_pretrained(source)
    refused = run(tool("ckpt_convert"), "--load-dir", source, "--save-dir", there)
    checks.equal(refused.returncode, 5, f"{kind}: exit code without --language-part")
    checks.expect("--language-part" in refused.stderr, f"{kind}: {refused.stderr}")
    if not (run_ok(checks, tool("ckpt_convert"), "--load-dir", source, "--save-dir", there, "--language-part", *LANGUAGE_LAYOUT)
            and run_ok(checks, tool("ckpt_convert"), "--load-dir", there, "--save-dir", back)
            and run_ok(checks, tool("ckpt_convert"), "verify", there, "--against", source)):
        return
    loaded, notes = AutoModelForCausalLM.from_pretrained(back, output_loading_info=True, local_files_only=True)
    for what in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        checks.equal(sorted(notes.get(what, [])), [], f"{kind}, language part: {what} in transformers")
    wanted = dict(model.model.language_model.state_dict(prefix="model."))
    wanted["lm_head.weight"] = model.lm_head.weight
    found = loaded.state_dict()
    checks.equal(sorted(found), sorted(wanted), f"{kind}, language part: weights")
    checks.equal([key for key in wanted if not torch.equal(found[key], wanted[key])], [], f"{kind}, language part: weights that differ")


def check_gate_per_head(checks, work):
    """Step's gate of a head is a row of g_proj; Megatron has a row for each element of the head, behind the queries of the group."""
    case = json.loads((ROOT / "rules/models/cases/step35.json").read_text())
    source, there = work / "gates_hf", work / "gates_megatron"
    source.mkdir()
    weights = {name: torch.randn(shape) for name, shape in case["hf"].items()}
    save_file(weights, source / "model.safetensors")
    (source / "config.json").write_text(json.dumps(case["config"]))
    if not run_ok(checks, tool("ckpt_convert"), "--load-dir", source, "--save-dir", there, "--target", "mcore", "--tp", "2"):
        return
    ranks = [torch.load(there / f"release/mp_rank_0{rank}/model_optim_rng.pt", weights_only=False) for rank in range(2)]
    groups, head_dim = case["config"]["num_key_value_heads"], case["config"]["head_dim"]
    for layer in range(case["config"]["num_hidden_layers"]):
        q, g, k, v = (weights[f"model.layers.{layer}.self_attn.{what}_proj.weight"] for what in "qgkv")
        heads = len(g) // groups
        parts = [part.view(groups, -1, head_dim, part.shape[-1]) for part in (q, g.repeat_interleave(head_dim, 0), k, v)]
        checks.expect(parts[1].shape[1] == heads, f"layer {layer}: gates of a group")
        name = f"decoder.layers.{layer}.self_attention.linear_qkv.weight"
        found = [rank["model"][name] for rank in ranks]
        wanted = torch.cat(parts, 1).flatten(1, 2)
        checks.expect(all(torch.equal(one, other) for one, other in zip(found, wanted)), f"{name}: rows of queries and gates")
    # What training may do to one of a head's rows is seen.
    ranks[0]["model"]["decoder.layers.0.self_attention.linear_qkv.weight"][2 * head_dim + 1] += 1
    torch.save(ranks[0], there / "release/mp_rank_00/model_optim_rng.pt")
    done = run(tool("ckpt_convert"), "verify", there, "--against", source)
    checks.expect(done.returncode == 1 and "layers.0.attention.gate: 16 of 512 values differ" in done.stdout, f"verify: {done.stdout}")


def main():
    checks = Checks()
    chosen = sys.argv[1:]  # names of cases; all
    with temporary_directory() as directory:
        for path in sorted((ROOT / "rules/models/cases").glob("*.json")):
            case = json.loads(path.read_text())
            if case["tensors_of"] != "transformers" or (chosen and path.stem not in chosen):
                continue
            source = Path(directory) / path.stem
            model = make(case, source)
            checks.equal(case["hf"], tensors_of(source), path.name)
            check_loads(checks, path.stem, case, model, source, Path(directory))
        for kind, config in MULTIMODAL:
            check_language_part(checks, kind, config, Path(directory))
        check_gate_per_head(checks, Path(directory))
    checks.finish()


if __name__ == "__main__":
    main()
