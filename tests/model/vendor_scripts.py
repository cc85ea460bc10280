"""What `ckpt_convert launch --check` says of commands that it did not write: those that MindSpeed-LLM's and Megatron-LM's own tests run
(tests/golden/planner), as scripts. They run, so nothing in them is an error; one that is changed in one place is told what is wrong, there.

    vendor_scripts.py [--all]      --all prints what is found in each
"""

import json
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

DATA = ROOT / "tests/golden/planner"
TARGETS = {"ascend_ci": "mindspeed-llm", "megatron_golden": "megatron"}
# What is true of these: options of a release after 0.17.1, and an option whose value the list of rows lost.
KNOWN = {"other_release": ("megatron-golden",), "no_value": ("pretrain_glm52",)}
LAUNCHER = "#!/bin/bash\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc_per_node {} --nnodes {} --node_rank 0 --master_addr {} {} \\\n"
COMMAND_LINE = 3
RULES = {rule["id"]: rule for rule in json.loads((ROOT / "rules/launch/launch.json").read_text())["rules"]}

# A row, what is changed in it (None: the option is left out), and what must be found, at the line of the option.
SEEDED = [
    ("glm4_9b_8k", {"tensor-model-parallel-size": "3"}, ("world", "heads", "kv_groups")),
    ("glm4_9b_8k", {"pipeline-model-parallel-size": "3"}, ("world", "even_stages")),
    ("glm4_9b_8k", {"global-batch-size": "7"}, ("global_batch",)),
    ("glm4_9b_8k", {"max-position-embeddings": "512"}, ("positions",)),
    ("glm4_9b_8k", {"sequence-parallell": True}, ("unknown_option",)),
    ("glm4_9b_8k", {"expert-model-parallel-size": "2"}, ("expert_parallel_dense",)),
    ("glm4_9b_8k", {"recompute-granularity": "full"}, ("recompute_method",)),
    ("glm4_9b_8k", {"seq-length": "1024k"}, ("bad_value",)),
    ("glm4_9b_8k", {"num-layers-per-virtual-pipeline-stage": "1"}, ("virtual_smaller",)),
    ("glm4_9b_8k", {"swap-optimizer": True, "use-distributed-optimizer": None}, ("swap_optimizer",)),
    ("qwen3-30b-layer2", {"sequence-parallel": None}, ("sequence_parallel_experts",)),
    ("qwen3-30b-layer2", {"expert-model-parallel-size": "3"}, ("expert_ranks", "experts_world")),
    ("qwen3-30b-layer2", {"recompute-method": "blocks"}, ("bad_value",)),
    ("qwen3-30b-layer2", {"decoder-first-pipeline-num-layers": "3"}, ("first_stage_size",)),
    ("llama2_tp2_cp4", {"seq-length": "4094"}, ("sequence_ring",)),
    ("llama2_tp2_cp4", {"context-parallel-size": "3"}, ("world",)),
    ("llama2_tp2_cp4", {"o2-optimizer": True}, ("reuse_inert",)),
    ("llama2_tp2_cp4", {"reset-attention-mask": True, "attention-mask-type": None, "cp-attention-mask-type": "causal"}, ("packed_ring",)),
    ("llama2_tp8_pp1_coc", {"use-ascend-mc2": True}, ("mc2_coc",)),
    ("llama2_tp8_pp1_coc", {"optimizer-selection": "fused_ema_adamw", "reuse-fp32-param": True}, ("reuse_ema",)),
    ("llama2_tp8_pp1_coc", {"overlap-param-gather": True, "use-distributed-optimizer": None}, ("distributed_overlap",)),
    ("llama2_tp4cp2pp1", {"tp-y": "4"}, ("tensor_2d",)),
    ("deepseek_v3_mcore_tp2", {"moe-token-dispatcher-type": "allgather"}, ("expert_overlap_dispatcher",)),
    ("deepseek_v3_mcore_tp2", {"global-batch-size": "4"}, ("dualpipev_batches",)),
    ("deepseek_v3_mcore_tp2", {"untie-embeddings-and-output-weights": None}, ("dualpipev_tied",)),
    ("deepseek_v3_mcore_tp2", {"overlap-grad-reduce": True}, ("dualpipev_alone",)),
    ("tune_hunyuanLarge", {"is-instruction-dataset": None, "stage": "sft"}, ("sft_data",)),
    ("dpo_qwen3_8b", {"is-pairwise-dataset": None, "stage": "dpo"}, ("dpo_pairs",)),
    ("tune_qwen3_8b_lora", {"swap-attention": True}, ("swap_attention_lora",)),
    ("pretrain_qwen3_8b_4k_hybridcp", {"ulysses-degree-in-cp": "3"}, ("sequence_hybrid",)),
    ("llama3_mcore_tp2_pp2", {"num-layer-list": "8,8"}, ("layer_list_alone",)),
    ("llama3_mcore_tp2_pp2", {"padded-vocab-size": "128255"}, ("vocabulary",)),
    ("qwen3_8b_tp2_pp4_vpp2_swap", {"neat-pack": True}, ("packed_apart",)),
    ("gpt3_7b_tp4_pp1", {"use-fused-swiglu": True}, ("other_target",)),
    ("gpt3_7b_tp4_pp1", {"use-torch-fsdp2": True}, ("torch_fsdp2",)),
    ("mixtral_8x7b", {"expert-tensor-parallel-size": "2", "sequence-parallel": None}, ("sequence_parallel_experts",)),
]


def rows():
    for name, target in TARGETS.items():
        for row in json.loads((DATA / f"{name}.json").read_text())["rows"]:
            program = row.get("script", "pretrain_gpt.py")
            if program.endswith("_fsdp2.py"):
                continue
            yield row["id"], target, row["devices"], program, row["options"]


def written(path, devices, program, options):
    nodes = max(1, devices // 16)
    lines = [LAUNCHER.format(min(devices, 16), nodes, "localhost" if nodes == 1 else "10.0.0.1", program)]
    for name, value in {"train-iters": "10", **options}.items():
        words = [] if value is True else value if isinstance(value, list) else [str(value)]
        lines.append(" ".join([f"    --{name}", *map(shlex.quote, words)]) + " \\\n")
    path.write_text("".join(lines)[:-3] + "\n")
    return path


def found_in(checks, script, target, what, cwd=None):
    done = run(tool("ckpt_convert"), "launch", "--check", script, "--target", target, "--json", cwd=cwd)
    if not checks.expect(done.returncode in (0, 1), f"{what}: {done.stderr}"):
        return []
    return json.loads(done.stdout)["findings"]


def place_of(path, found, change):
    """A rule names the first of its options that is there; what is wrong with an option itself stands there. 0: the command."""
    options = RULES[found]["at"] if found in RULES else [f"--{name}" for name in change]
    return next((line for line in (line_of(path, option[2:]) for option in options) if line), COMMAND_LINE)


def line_of(path, name):
    lines = path.read_text().splitlines()
    return next((i + 1 for i, line in enumerate(lines) if line.split()[:1] == [f"--{name}"]), 0)


# As YAML files of MindSpeed-LLM's examples write them, with the paths on the command line.
YAML = """model:
  model_id: qwen3
  trust_remote_code: False
  init_model_with_meta_device: True
data:
  dataset:
    file_name: "./train.parquet"
  cutoff_len: 4096
  overwrite_cache: yes
parallel:
  fsdp_modules:
    - model.layers.{*}
  recompute: True
  recompute_modules:
    - model.layers.{*}
training:
  stage: pt
  disable_shuffling: 1
  lr: 1e-05
"""
CHAT = """torchrun --nproc_per_node 8 --nnodes 1 inference_fsdp2.py train.yaml \\
    --model.model_name_or_path /data/qwen3 \\
    --parallel.fsdp_size 8 \\
    --inference.infer_backend huggingface \\
    --inference.max_new_tokens 512
"""


# As the example of DeepSeek-V3 has it: the converter's words for the layout count for its virtual stages.
CONVERSION = """python convert_ckpt_v2.py \\
    --moe-grouped-gemm \\
    --target-tensor-parallel-size 2 \\
    --target-pipeline-parallel-size 8 \\
    --target-expert-parallel-size 32 \\
    --load-dir ./model_from_hf/deepseek3-bf16-hf \\
    --save-dir ./model_weights/deepseek3-mcore \\
    --num-layers-per-virtual-pipeline-stage 2 \\
    --noop-layers 47,62,63
    # --num-layer-list and other options depend on the task
"""


def check_conversion(checks, work):
    script = work / "convert.sh"
    for text, wanted in ((CONVERSION, []), (CONVERSION.replace("parallel-size 8", "parallel-size 1"), [("virtual_needs_stages", 8)]),
                         (CONVERSION.replace("--noop-layers 47,62,63", "--num-layer-list 8,8"), [("layer_list_alone", 9), ("layer_list_length", 9)])):
        script.write_text(text)
        found = [(item["id"], item["line"]) for item in found_in(checks, script, "mindspeed-llm", "a conversion")]
        checks.equal(found, wanted, f"a conversion: {text}")


def check_yaml(checks, work):
    yaml, chat = work / "train.yaml", work / "chat.sh"
    for text, wanted in ((YAML, []), (YAML.replace("yes", "maybe"), [("bad_value", 9)]), (YAML.replace("  lr:", "  learning_rate:"), [("unknown_option", 19)]),
                         (YAML + "inference:\n  do_sample: true\n", [("unknown_option", 21)])):
        yaml.write_text(text)
        found = [(item["id"], item["line"]) for item in found_in(checks, yaml, "fsdp2", "YAML alone")]
        checks.equal(found, wanted, f"YAML alone: {text}")
    yaml.write_text(YAML)
    for text, wanted in ((CHAT, []), (CHAT.replace("max_new_tokens", "max_new_tokens:"), [("unknown_option", 5)]),
                         (CHAT.replace("fsdp_size 8", "fsdp_size 4"), [("fsdp_world", 3)])):
        chat.write_text(text)
        found = [(item["id"], item["line"]) for item in found_in(checks, chat, "fsdp2", "a conversation", cwd=work)]
        checks.equal(found, wanted, f"a conversation: {text}")


def main():
    checks = Checks()
    with temporary_directory() as directory:
        script = Path(directory) / "run.sh"
        before = {}
        for name, target, devices, program, options in rows():
            found = found_in(checks, written(script, devices, program, options), target, name)
            before[name] = {item["id"] for item in found}
            wrong = [item["what"] for item in found if item["severity"] == "error"
                     and not any(part in name for part in KNOWN.get(item["id"], ()))]
            checks.equal(wrong, [], name)
            if "--all" in sys.argv:
                print(name, [(item["severity"], item["what"]) for item in found])
        check_conversion(checks, Path(directory))
        check_yaml(checks, Path(directory))
        for part, change, wanted in SEEDED:
            name, target, devices, program, options = next(row for row in rows() if part in row[0])
            changed = {key: value for key, value in {**options, **change}.items() if value is not None}
            found = found_in(checks, written(script, devices, program, changed), target, name)
            new = {item["id"] for item in found} - before[name]
            what = f"{name} with {change}"
            checks.expect(set(wanted) <= new, f"{what}: found {sorted(new)}")
            for item in found:
                if item["id"] in wanted:
                    checks.equal(item["line"], place_of(script, item["id"], change), f"{what}: the line of {item['id']}")
    print(f"{len(before)} commands, {len(SEEDED)} mistakes")
    checks.finish()


if __name__ == "__main__":
    main()
