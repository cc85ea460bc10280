"""The mistakes of launch scripts that `ckpt_convert launch --check` must find: each is made in correct scripts of several models.

    launch_mistakes.py [--all] [ID...]       without --all each mistake is made in the scripts of one model

A mistake changes one place of a set that `ckpt_convert launch` wrote, or of a script as people write them, and the check must name that
line and nothing else. What can be corrected by --fix is corrected, and then nothing is left to say.
"""

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, temporary_directory, tool  # noqa: E402

MODELS = {
    "qwen3": {"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
              "intermediate_size": 12288, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": False,
              "head_dim": 128, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "hidden_act": "silu"},
    "qwen3_small": {"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8,
                    "intermediate_size": 3072, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": True,
                    "head_dim": 128, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "hidden_act": "silu"},
    "llama31": {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
                "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": False,
                "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "hidden_act": "silu",
                "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                 "original_max_position_embeddings": 8192}},
    "qwen25": {"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
               "intermediate_size": 18944, "vocab_size": 152064, "max_position_embeddings": 32768, "tie_word_embeddings": False,
               "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "hidden_act": "silu"},
    "qwen3_moe": {"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
                  "num_key_value_heads": 4, "intermediate_size": 6144, "vocab_size": 151936, "max_position_embeddings": 40960,
                  "tie_word_embeddings": False, "head_dim": 128, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "hidden_act": "silu",
                  "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "norm_topk_prob": True,
                  "decoder_sparse_step": 1, "mlp_only_layers": []},
    "deepseek3": {"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
                  "num_key_value_heads": 128, "intermediate_size": 18432, "vocab_size": 129280, "max_position_embeddings": 163840,
                  "tie_word_embeddings": False, "rms_norm_eps": 1e-6, "rope_theta": 10000, "hidden_act": "silu", "q_lora_rank": 1536,
                  "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256,
                  "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "first_k_dense_replace": 3,
                  "moe_layer_freq": 1, "n_group": 8, "topk_group": 4, "routed_scaling_factor": 2.5, "norm_topk_prob": True,
                  "scoring_func": "sigmoid", "topk_method": "noaux_tc", "num_nextn_predict_layers": 1,
                  "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1,
                                   "original_max_position_embeddings": 4096}},
}
LAYOUTS = {"qwen3": ["--tp", "2", "--pp", "2"], "qwen3_small": ["--tp", "1", "--pp", "2"], "llama31": ["--tp", "2", "--pp", "2"],
           "qwen25": ["--tp", "4"], "qwen3_moe": ["--tp", "2", "--ep", "4", "--devices", "64"], "deepseek3": ["--tp", "8", "--pp", "8", "--ep", "64", "--etp", "1",
           "--noop-layers", "61,62,63", "--devices", "1024"]}
DENSE, ALL, MOE = ("qwen3", "llama31", "qwen25"), tuple(MODELS), ("qwen3_moe", "deepseek3")
PROGRAM = "pretrain_gpt.py"


class Mistake:
    """`change`: (file, text, text instead) in the set; `line`: the text of the line that must be named, when it is another one."""

    def __init__(self, number, name, models, script, change, line=None, also=(), fixes=True, more=()):
        self.number, self.name, self.models, self.script, self.change = number, name, models, script, change
        self.line, self.also, self.fixes, self.more = line, set(also), fixes, more


def removed(name, line=PROGRAM):
    return ("model.sh", f"\n    {name}", "\n    #"), line


EVALUATED = "--task \"$TASK\" \\\n    --task-data-path \"$TASK_DATA\" \\\n    --max-new-tokens \"$MAX_NEW_TOKENS\""


def evaluation(name, words, **more):
    return Mistake("benchmarks", name, ("qwen3",), "evaluate.sh", ("evaluate.sh", EVALUATED, words), **more)


MISTAKES = [
    Mistake(1, "load_path", ALL, "pretrain.sh", ("settings.sh", "MCORE_DIR:-$HERE/mcore", "MCORE_DIR:-@MODEL@"), fixes=False),
    Mistake(3, "data_prefix", ALL, "pretrain.sh", ("pretrain.sh", "_text_document\"", "_text_document.bin\"")),
    Mistake(3, "data_prefix", DENSE, "finetune_lora.sh", ("finetune_lora.sh", "\"$INSTRUCTION_PREFIX\"", "\"${INSTRUCTION_PREFIX}_text_document\"")),
    Mistake(5, "log_directory", ALL, "pretrain.sh", ("pretrain.sh", "mkdir -p \"$OUTPUT_DIR\" \"$LOG_DIR\"", "mkdir -p \"$OUTPUT_DIR\""),
            line="tee ", fixes=False),
    Mistake(6, "even_stages", ("qwen3", "llama31"), "pretrain.sh", ("model.sh", "--pipeline-model-parallel-size 2", "--pipeline-model-parallel-size 5"),
            line="--num-layers ", also=("world", "global_batch"), fixes=False),
    Mistake(7, "memory", ("qwen3", "llama31"), "pretrain.sh", ("settings.sh", "MICRO_BATCH_SIZE:-1", "MICRO_BATCH_SIZE:-8"), line="torchrun ",
            also=("global_batch", "variable_value", "few_micro_batches"), fixes=False),
    Mistake(8, "machine_devices", DENSE, "pretrain.sh", ("settings.sh", "NPUS_PER_NODE:-8", "NPUS_PER_NODE:-16"), fixes=False,
            also=("global_batch",)),
    Mistake(8, "visible_devices", DENSE, "pretrain.sh", ("environment.sh", "# shellcheck shell=bash", "export ASCEND_RT_VISIBLE_DEVICES=0,1"),
            line="NPUS_PER_NODE:-", fixes=False),
    Mistake(9, "world", ("qwen3", "llama31"), "pretrain.sh", ("model.sh", "--tensor-model-parallel-size 2", "--tensor-model-parallel-size 16"),
            also=("tensor_parallel_machine", "kv_groups"), fixes=False),
    Mistake(10, "global_batch", ALL, "pretrain.sh", ("settings.sh", "GLOBAL_BATCH_SIZE:-", "GLOBAL_BATCH_SIZE:-9}\" # \"${X:-"), fixes=False),
    Mistake(11, "num_layers", DENSE, "pretrain.sh", ("model.sh", "--num-layers ", "--num-layers 1"), also=("even_stages",)),
    Mistake(12, "ffn_hidden_size", DENSE, "pretrain.sh", ("model.sh", "--ffn-hidden-size 1", "--ffn-hidden-size 2")),
    Mistake(12, "hidden_size", ALL, "pretrain.sh", ("model.sh", "--hidden-size ", "--hidden-size 1"), also=("variable_value",)),
    Mistake(12, "num_attention_heads", DENSE, "pretrain.sh", ("model.sh", "--num-attention-heads ", "--num-attention-heads 4")),
    Mistake(13, "group_query_attention", DENSE, "pretrain.sh", *removed("--group-query-attention")),
    Mistake(14, "kv_channels", ("qwen3_small", "qwen3_moe"), "pretrain.sh", *removed("--kv-channels")),
    Mistake(15, "padded_vocab_size", ALL, "pretrain.sh", ("model.sh", "--padded-vocab-size ", "--padded-vocab-size 1")),
    Mistake(15, "padded_vocab_size", DENSE, "pretrain.sh", *removed("--padded-vocab-size")),
    Mistake(16, "untie_embeddings_and_output_weights", DENSE, "pretrain.sh", *removed("--untie-embeddings-and-output-weights")),
    Mistake(16, "untie_embeddings_and_output_weights", ("qwen3_small",), "pretrain.sh",
            ("model.sh", "    --swiglu", "    --swiglu --untie-embeddings-and-output-weights")),
    Mistake(17, "rotary_base", ("qwen3", "qwen3_moe", "llama31"), "pretrain.sh", ("model.sh", "--rotary-base ", "--rotary-base 2")),
    Mistake(17, "rotary_base", ("qwen3", "llama31"), "pretrain.sh", *removed("--rotary-base")),
    Mistake(18, "rope_scaling_type", ("llama31", "deepseek3"), "pretrain.sh", *removed("--rope-scaling-type")),
    Mistake(19, "add_qkv_bias", ("qwen25",), "pretrain.sh", *removed("--add-qkv-bias")),
    Mistake(19, "add_qkv_bias", ("qwen3", "llama31"), "pretrain.sh", ("model.sh", "    --swiglu", "    --swiglu --add-qkv-bias")),
    Mistake(20, "qk_layernorm", ("qwen3", "qwen3_moe", "qwen3_small"), "pretrain.sh", *removed("--qk-layernorm")),
    Mistake(21, "normalization", DENSE, "pretrain.sh", ("model.sh", "--normalization RMSNorm", "--normalization LayerNorm")),
    Mistake(21, "norm_epsilon", ("qwen3", "qwen25", "deepseek3"), "pretrain.sh", ("model.sh", "--norm-epsilon 1e-06", "--norm-epsilon 1e-05")),
    Mistake(22, "positions", DENSE, "pretrain.sh", ("settings.sh", "SEQ_LENGTH:-4096", "SEQ_LENGTH:-409600"), fixes=False,
            also=("variable_value", "model_positions")),
    Mistake(23, "moe_router_topk", MOE, "pretrain.sh", ("model.sh", "--moe-router-topk 8", "--moe-router-topk 2")),
    Mistake(23, "num_experts", MOE, "pretrain.sh", ("model.sh", "--num-experts ", "--num-experts 4")),
    Mistake(24, "moe_router_score_function", ("deepseek3",), "pretrain.sh", ("model.sh", "score-function sigmoid", "score-function softmax")),
    Mistake(24, "moe_router_enable_expert_bias", ("deepseek3",), "pretrain.sh", *removed("--moe-router-enable-expert-bias")),
    Mistake(25, "unknown_option", ALL, "pretrain.sh", ("model.sh", "--use-fused-swiglu", "--use-fused-swigl2u")),
    Mistake(25, "prefix", ALL, "pretrain.sh", ("model.sh", "--use-fused-swiglu", "--use-fused-swigl")),
    Mistake(25, "bad_value", ALL, "pretrain.sh", ("model.sh", "--use-flash-attn", "--recompute-granularity full --recompute-num-layers 1 --recompute-method blok")),
    Mistake(26, "other_target", DENSE, "megatron/pretrain.sh", ("megatron/model.sh", "--attention-backend flash", "--attention-backend flash --use-fused-swiglu")),
    Mistake(27, "sequence_parallel_experts", MOE, "pretrain.sh", *removed("--sequence-parallel", line="--tensor-model-parallel-size")),
    Mistake(28, "variable_value", ALL, "pretrain.sh", ("environment.sh", "expandable_segments:True}", "expandable_segments:True,max_split_size_mb:256}"), fixes=False),
    Mistake(28, "variable_value", DENSE, "pretrain.sh", ("environment.sh", "TASK_QUEUE_ENABLE:-2}", "TASK_QUEUE_ENABLE:-3}"), fixes=False),
    Mistake(28, "variable_pair", DENSE, "pretrain.sh",
            ("environment.sh", "# Seconds that processes", "export HCCL_INTRA_ROCE_ENABLE=1 HCCL_INTRA_PCIE_ENABLE=1\n# Seconds that processes"), fixes=False),
    Mistake(28, "variable_twice", DENSE, "pretrain.sh", ("pretrain.sh", "\nmkdir -p", "\nexport PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:256\nmkdir -p"),
            line="export PYTORCH_NPU_ALLOC_CONF=max", fixes=False),
    Mistake(28, "variable_value", ("qwen3", "llama31", "deepseek3"), "pretrain.sh", ("environment.sh", "# Seconds that processes", "export HCCL_BUFFSIZE=1\n# Seconds that processes")),
    Mistake(28, "variable", DENSE, "pretrain.sh", ("environment.sh", "# shellcheck shell=bash", "export NCCL_DEBUG=INFO"), fixes=False),
    Mistake(29, "prompt-type", ("qwen3", "deepseek3", "qwen25"), "finetune_lora.sh", ("settings.sh", "PROMPT_TYPE:-", "PROMPT_TYPE:-chatglm3}\" # \"${X:-"),),
    Mistake(29, "lora-target-modules", DENSE, "finetune_lora.sh", ("finetune_lora.sh", "linear_fc2", "q_proj"), fixes=False),
    Mistake(29, "general_handler_prompt", DENSE, "data_instruction.sh", ("data_instruction.sh", "AlpacaStyleInstructionHandler", "GeneralPretrainHandler"), fixes=False),
    Mistake(30, "shell", ALL, "pretrain.sh", ("pretrain.sh", "--split 100,0,0 \\\n", "--split 100,0,0 \\ \n")),
    Mistake(30, "shell", ALL, "pretrain.sh", ("pretrain.sh", "--split 100,0,0 \\\n", "--split 100,0,0 # all of it \\\n")),
    Mistake(30, "shell", ALL, "pretrain.sh", ("pretrain.sh", "--split 100,0,0 \\\n", "--split 100,0,0\n")),
    Mistake(30, "shell", ALL, "pretrain.sh", ("model.sh", "--min-lr \"$MIN_LR\"", "--min-lr \"${MINIMAL_LR}\""), fixes=False),
    Mistake(30, "node_rank", DENSE, "pretrain.sh", ("settings.sh", "NODE_RANK:-0", "NODE_RANK:-1"), fixes=False),
]

# Of the rules of legality, each a job that is refused; the scripts as they are written are those that are accepted.
def option(name, models, words, also=(), number="L"):
    return Mistake(number, name, models, "pretrain.sh", ("model.sh", "    --use-flash-attn", f"    --use-flash-attn {words}"), also=also, fixes=False)


FULL = "--recompute-granularity full --recompute-method uniform --recompute-num-layers"
MISTAKES += [
    option("first_and_last", ("qwen3",), "--decoder-first-pipeline-num-layers 12 --decoder-last-pipeline-num-layers 12", number="L1"),
    option("middle_stages", ("deepseek3",), "--decoder-first-pipeline-num-layers 10 --decoder-last-pipeline-num-layers 11", number="L1"),
    option("first_stage", ("deepseek3",), "--decoder-first-pipeline-num-layers 9", number="L1"),
    option("last_stage", ("deepseek3",), "--decoder-last-pipeline-num-layers 9", number="L1"),
    option("fp8_device", ("qwen3",), "--fp8-format e4m3", number="L6"),
    option("dualpipev_tied", ("qwen3_small",), "--schedules-method dualpipev", also=("dualpipev_alone",), number="L8"),
    option("dualpipev_stages_alone", ("qwen3",), "--schedules-method dualpipev --num-layers-per-virtual-pipeline-stage 3", also=("dualpipev_alone",),
           number="L8"),
    option("expert_overlap", ("deepseek3",), "--moe-fb-overlap", number="L9"),
    option("extended_experts", ("deepseek3",), "--moe-tp-extend-ep --moe-grouped-gemm", also=("twice",), number="L10"),
    option("extended_experts_grouped", ("qwen3_moe",), "--moe-tp-extend-ep", number="L10"),
    option("swap_optimizer_kind", ("qwen3",), "--swap-optimizer --optimizer-selection fused_torch_adamw", number="L11"),
    option("swap_adaptive", ("qwen3",), "--swap-attention --adaptive-recompute-device-swap", number="L12"),
    option("mc2_coc", ("qwen3",), "--use-ascend-mc2 --use-ascend-coc", number="L13"),
    option("tensor_2d", ("qwen3",), "--tp-2d --tp-x 2 --tp-y 2", number="L14"),
    option("reuse_ema", ("qwen3",), "--reuse-fp32-param --optimizer-selection fused_ema_adamw", number="L15"),
    option("reuse_inert", ("qwen3",), "--reuse-fp32-param --o2-optimizer", number="L15"),
    option("sequence_ulysses", ("qwen25",), "--context-parallel-size 2 --context-parallel-algo ulysses_cp_algo", number="L16"),
    option("sequence_hybrid", ("qwen25",), "--context-parallel-size 2 --context-parallel-algo hybrid_cp_algo --ulysses-degree-in-cp 2", number="L16"),
    Mistake("L17", "virtual_batches", ("qwen3",), "pretrain.sh", ("model.sh", "--global-batch-size \"$GLOBAL_BATCH_SIZE\"",
            "--global-batch-size 6 --num-layers-per-virtual-pipeline-stage 3"), fixes=False),
    option("recompute_whole_stage", ("qwen3",), f"{FULL} 19", number="L18"),
    option("recompute_whole_chunk", ("qwen3",), f"{FULL} 4 --num-layers-per-virtual-pipeline-stage 3", number="L18"),
    option("recompute_in_bubble", ("qwen3",), "--recompute-in-bubble", number="L18"),
    option("torch_fsdp2", ("qwen3",), "--use-torch-fsdp2", also=("torch_fsdp2_format",), number="L19"),
    option("torch_fsdp2_format", ("qwen3",), "--use-torch-fsdp2 --ckpt-format torch", also=("torch_fsdp2", "twice"), number="L19"),
    Mistake("L7", "sharded_adam", ("qwen3",), "megatron/pretrain.sh",
            ("megatron/model.sh", "--attention-backend flash", "--attention-backend flash --use-megatron-fsdp"), fixes=False),
    Mistake("L26", "packed_apart", ("qwen3",), "pretrain.sh", ("model.sh", "    --use-flash-attn", "    --use-flash-attn --neat-pack")),
    option("variable_lengths", ("qwen3",), "--variable-seq-lengths --pad-to-multiple-of 3", number="L26"),
    evaluation("benchmark", "--task humaneval --task-data-path d --max-new-tokens 1024"),
    evaluation("benchmark", "--task hellaswag --task-data-path d --max-new-tokens 32", fixes=False),
    evaluation("benchmark", "--task-data-path d --max-new-tokens 32", line="torchrun ", fixes=False),
    evaluation("benchmark_data", "--task mmlu --max-new-tokens 2", fixes=False),
    evaluation("benchmark_data", "--task ceval --task-data-path ceval/test/ --max-new-tokens 2", fixes=False),
    evaluation("benchmark_tokens", "--task human_eval --task-data-path d --max-new-tokens 1"),
    evaluation("benchmark_tokens", "--task gsm8k --task-data-path d"),
    option("packed_ring", ("qwen3",), "--reset-attention-mask --context-parallel-size 2", number="L26"),
]


def launch(*words):
    return run(tool("ckpt_convert"), "launch", *words)


def found_in(script, *words):
    done = launch("--check", script, "--device", "a2", "--json", *words)
    if done.returncode not in (0, 1):
        return [{"id": "failed", "file": "", "line": 0, "what": done.stderr}]
    return json.loads(done.stdout)["findings"]


def line_of(path, text):
    content = path.read_text()
    at = content.find(text)
    return content.count("\n", 0, at) + 1 if at >= 0 else 0


def seed(mistake, out, model):
    """Makes the mistake; the file and the line that must be named."""
    name, old, new = mistake.change
    path = out / name
    text = path.read_text()
    assert text.count(old) >= 1, f"{mistake.name}: {old!r} is not in {name}"
    line = text.count("\n", 0, text.find(old)) + 1 + old.startswith("\n")
    path.write_text(text.replace(old, new.replace("@MODEL@", str(model)), 1))
    if mistake.line is None:
        return path, line
    for candidate in (out / mistake.script, (out / mistake.script).parent / "model.sh", (out / mistake.script).parent / "settings.sh"):
        if line_of(candidate, mistake.line):
            return candidate, line_of(candidate, mistake.line)
    raise AssertionError(mistake.line)


def check_mistake(checks, mistake, name, sets, work):
    out = work / "set"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(sets / name, out)
    path, line = seed(mistake, out, work / name)
    model = work / name
    what = f"{mistake.number} {mistake.name}, {name}: {mistake.change}"
    found = found_in(out / mistake.script, "--model", model)
    right = [item for item in found if item["id"] == mistake.name and item["line"] == line and Path(item["file"]).name == path.name]
    checks.expect(right, f"{what}: not found in {path.name}:{line}: {found}")
    # What makes another model, or splits it otherwise, may not fit any more either.
    others = [item for item in found if item["id"] not in {mistake.name, "memory", *mistake.also}]
    checks.equal(others, [], f"{what}: something else is found")
    if not mistake.fixes or not right:
        return
    fixed = launch("--check", out / mistake.script, "--device", "a2", "--model", model, "--fix")
    checks.expect(fixed.returncode in (0, 1), f"{what}: --fix: {fixed.stderr}")
    left = [item for item in found_in(out / mistake.script, "--model", model) if item["id"] not in mistake.also]
    checks.equal(left, [], f"{what}: left after --fix: {fixed.stdout}")


BY_HAND = Path(__file__).resolve().parent / "by_hand/pretrain.sh"
# What is changed in it, and what the check then says, at that line.
IN_HAND_WRITTEN = [("--num-query-groups 8", "--num-query-groups 4", "num_query_groups"), ("--num-layers 36", "--num-layers 32", "num_layers"),
                   ("\nTP=2", "\nTP=3", "heads"), ("\nGBS=64", "\nGBS=63", "global_batch"), ("--norm-epsilon 1e-6", "--norm-epsilon 1e-5", "norm_epsilon"),
                   ("NNODES=1", "NNODES=2", "local_master"), ("--qk-layernorm \\\n", "", "qk_layernorm")]


def check_by_hand(checks, work):
    script = work / "by_hand.sh"
    shutil.copy(BY_HAND, script)
    found = found_in(script, "--model", work / "qwen3")
    checks.equal([item for item in found if item["severity"] == "error"], [], "the script written by hand")
    for old, new, name in IN_HAND_WRITTEN:
        text = BY_HAND.read_text()
        script.write_text(text.replace(old, new, 1))
        line = text.count("\n", 0, text.find(old)) + 1 + old.startswith("\n")
        where = {"local_master": "MASTER_ADDR=", "qk_layernorm": "pretrain_gpt.py"}.get(name)
        line = line_of(script, where) if where else line
        found = found_in(script, "--model", work / "qwen3")
        checks.expect(any(item["id"] == name and item["line"] == line for item in found), f"by hand, {name}: not found in line {line}: {found}")


def check_with_files(checks, work):
    """Mistakes that show on the disk: a checkpoint of another layout (2), data of which a half is missing or empty (4)."""
    run_ok(checks, sys.executable, ROOT / "samples/checkpoints/make_tiny.py", "qwen3", work / "hf")
    run_ok(checks, tool("ckpt_convert"), "--quiet", "--no-progress", "--load-dir", work / "hf", "--save-dir", work / "mcore", "--tp", "2", "--pp", "2")
    out = work / "of_checkpoint"
    done = launch(work / "mcore", out, "--target", "mindspeed-llm", "--devices", "8")
    checks.expect(done.returncode == 0, f"of a checkpoint: {done.stderr}")
    script, settings, sizes = out / "pretrain.sh", out / "settings.sh", out / "model.sh"
    checks.equal(found_in(script, "--checkpoint", work / "mcore"), [], "of a checkpoint: nothing is wrong")

    right = sizes.read_text()
    sizes.write_text(right.replace("--pipeline-model-parallel-size 2", "--pipeline-model-parallel-size 1"))
    line = line_of(sizes, "--pipeline-model-parallel-size")
    found = [(item["id"], item["severity"], item["line"]) for item in found_in(script, "--checkpoint", work / "mcore")]
    checks.expect(("checkpoint_layout", "error", line) in found, f"2: PP 1 of a checkpoint of PP 2 is not found in line {line}: {found}")
    sizes.write_text(right)

    prefix = work / "text"
    text = settings.read_text()
    settings.write_text(text.replace("PRETRAIN_PREFIX:-$DATA_DIR/pretrain", f"PRETRAIN_PREFIX:-{prefix}"))
    binary, index = Path(f"{prefix}_text_document.bin"), Path(f"{prefix}_text_document.idx")
    line = line_of(script, "--data-path")
    for what, data, has_index, wanted in (("whole", b"1", True, []), ("without its .idx", b"1", False, [("data_pair", line)]), ("empty", b"", True, [("data_pair", line)])):
        binary.write_bytes(data)
        index.write_bytes(b"1") if has_index else index.unlink()
        found = [(item["id"], item["line"]) for item in found_in(script, "--checkpoint", work / "mcore")]
        checks.equal(found, wanted, f"4: data that is {what}")


def check_benchmark_folders(checks, work):
    """Folders of questions that are there: without the file that is read, without the examples that are asked for, and right ones."""
    script = work / "evaluate.sh"
    for name in ("mmlu/test", "mmlu/dev", "cmmlu/test", "boolq/train", "boolq/dev"):
        (work / "data" / name).mkdir(parents=True)
        (work / "data" / name / "questions.csv").write_text("")
    (work / "data/agieval").mkdir()
    (work / "data/boolq/train/train.jsonl").write_text("{}")
    (work / "data/boolq/dev/dev.jsonl").write_text("{}")
    (work / "data/questions.csv").write_text("")
    for words, wanted in ((("boolq", "boolq/dev", "4"), []), (("boolq", "boolq/train", "4"), ["benchmark_data"]), (("mmlu", "mmlu/test", "1"), []),
                          (("mmlu", "mmlu/test", "1 --prompt-type qwen"), []), (("mmlu_ppl", "cmmlu/test", "1"), ["benchmark_data"]),
                          (("cmmlu", "cmmlu/test", "2"), []), (("cmmlu", "cmmlu/test", "2 --alternative-prompt"), ["benchmark_data"]),
                          (("cmmlu", "cmmlu/test/", "2 --prompt-type qwen"), ["benchmark_data"]), (("agieval", "questions.csv", "5"), ["benchmark_data"]),
                          (("bbh", "nowhere", "16"), ["benchmark_tokens"]), (("mmlu humaneval", "mmlu/test", "1024"), ["benchmark"]),
                          (("agieval", "agieval", "5"), ["benchmark_data"]), (("gsm8k", "mmlu/test", "512"), ["benchmark_data"]),
                          (("$1", "$2", "$3"), [])):
        task, data, tokens = words
        place = data if data.startswith("$") else work / "data" / data
        script.write_text(f"torchrun --nproc_per_node 8 evaluation.py --task {task} --task-data-path {place} --max-new-tokens {tokens}\n")
        found = [item["id"] for item in found_in(script) if item["id"].startswith(("benchmark", "failed"))]
        checks.equal(found, wanted, f"evaluation of {words}")


def check_sharded(checks, work):
    """The memory of FSDP2 is estimated from its YAML file, with the script and alone."""
    out = work / "sharded"
    done = launch(work / "qwen3", out, "--target", "fsdp2", "--devices", "8", "--micro-batch-size", "4", "--device", "a2", "--with", "none")
    checks.expect("pretrain.sh does not fit by estimate" in done.stdout, f"FSDP2 with nothing computed again: {done.stdout}{done.stderr}")
    for script in ("pretrain.sh", "pretrain.yaml"):
        found = found_in(out / script, "--model", work / "qwen3")
        checks.equal([item["id"] for item in found], ["memory"], f"FSDP2: {script}")
        text = (out / "pretrain.yaml").read_text()
        (out / "pretrain.yaml").write_text(text.replace("parallel:\n", "parallel:\n  recompute: true\n  recompute_modules:\n    - model.layers.{*}\n"))
        checks.equal(found_in(out / script, "--model", work / "qwen3"), [], f"FSDP2: {script} that computes layers again")
        (out / "pretrain.yaml").write_text(text)
    settings = out / "pretrain.yaml"
    right = text.replace("parallel:\n", "parallel:\n  recompute: true\n  recompute_modules:\n    - model.layers.{*}\n")
    wrong = {"model_id: qwen3": ("model_id: qwen2", "bad_value"), "cutoff_len: 4096": ("cutoff_len: 65536", "fsdp_positions")}
    for line, (changed, what) in wrong.items():
        for value, wanted in ((changed, [what]), (line.split(": ")[0] + ": *other", []), (line.split(": ")[0] + ": &other " + changed.split(": ")[1], [])):
            settings.write_text(right.replace(line, value))
            found = [item["id"] for item in found_in(settings, "--model", work / "qwen3")]
            checks.equal([what for what in found if what != "memory"], wanted, f"FSDP2: {value}")  # of a longer sequence it is more


def main():
    checks = Checks()
    wanted = [name for name in sys.argv[1:] if name != "--all"]
    number = None if "--all" in sys.argv else 1
    with temporary_directory() as directory:
        work = Path(directory)
        for name, config in MODELS.items():
            (work / name).mkdir()
            (work / name / "config.json").write_text(json.dumps(config))
            for target, place in (("mindspeed-llm", work / "sets" / name), ("megatron", work / "sets" / name / "megatron")):
                done = launch(work / name, place, "--target", target, *LAYOUTS[name])
                checks.expect(done.returncode == 0, f"{name}: {done.stderr}")
        for name in MODELS:
            for script in sorted((work / "sets" / name).glob("*.sh")):
                if script.name.startswith(("pretrain", "finetune", "dpo", "generate", "chat", "evaluate", "data")):
                    found = found_in(script, "--model", work / name)
                    # Pairs take more memory than the layout has.
                    found = [item for item in found if (name, script.name, item["id"]) != ("qwen3_moe", "dpo.sh", "memory")]
                    checks.equal(found, [], f"{name}, {script.name}: nothing is wrong")
        check_by_hand(checks, work)
        check_with_files(checks, work)
        check_sharded(checks, work)
        check_benchmark_folders(checks, work)
        for mistake in MISTAKES:
            for name in mistake.models[:number]:
                if not wanted or mistake.name in wanted:
                    check_mistake(checks, mistake, name, work / "sets", work)
    checks.finish()


if __name__ == "__main__":
    main()
