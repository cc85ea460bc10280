// The longer texts of --help.
#pragma once

namespace ckpt {

inline constexpr const char* kDescription =
    "Move weights between Hugging Face and Megatron mcore checkpoints\n"
    "\n"
    "The direction and the model family are found from the input. Every source byte is read once, every target byte\n"
    "is written once, and nothing is written before the whole conversion is proven to lose nothing.";

inline constexpr const char* kFooter =
    "Examples:\n"
    "  ckpt_convert Qwen3-8B qwen3-mcore --tp 2 --pp 2\n"
    "      Hugging Face to Megatron, tensor parallel 2, pipeline parallel 2\n"
    "  ckpt_convert qwen3-mcore Qwen3-8B-tuned\n"
    "      Megatron to Hugging Face; config and tokenizer come from the first conversion, or from --hf-cfg-dir\n"
    "  ckpt_convert qwen3-mcore qwen3-tp8 --save-model-type mg --tp 8\n"
    "      one Megatron layout to another; with --optimizer keep training goes on there\n"
    "  ckpt_convert Qwen3-8B qwen3-dist --target mcore --ckpt-format torch_dist\n"
    "      a checkpoint that Megatron loads at any TP and PP\n"
    "  ckpt_convert plan Qwen3-8B qwen3-mcore --tp 2 --pp 2 --plan-html plan.html\n"
    "      check everything and write nothing but a page that shows the plan\n"
    "  ckpt_convert verify Qwen3-8B qwen3-mcore\n"
    "      whether two checkpoints hold the same weights, whatever their layouts\n"
    "  ckpt_convert inspect qwen3-mcore\n"
    "      what is in a checkpoint of either kind, or in a single weight file\n"
    "\n"
    "The options of MindSpeed-LLM's convert_ckpt.py and convert_ckpt_v2.py are understood under their own names;\n"
    "ckpt_convert --help-all also lists those without effect.\n"
    "Exit codes: 0 done, 1 verify found a difference, 2 usage, 3 mapping file, 4 unreadable or corrupt input,\n"
    "5 unsupported, 6 write failed.";

inline constexpr const char* kVerifyHelp =
    "Check that a checkpoint is complete and what is known of its content, or that it equals another one";

inline constexpr const char* kVerifyExamples =
    "Examples:\n"
    "  ckpt_convert verify qwen3-mcore                    is it complete, and as it was written?\n"
    "  ckpt_convert verify Qwen3-8B qwen3-mcore           do both hold the same weights?\n"
    "  ckpt_convert verify Qwen3-8B qwen3-mcore --json    the same, for scripts\n"
    "\n"
    "Exit codes: 0 nothing is wrong, 1 a difference was found.";

inline constexpr const char* kInspectExamples =
    "Examples:\n"
    "  ckpt_convert inspect qwen3-mcore --summary\n"
    "  ckpt_convert inspect qwen3-mcore --layers\n"
    "  ckpt_convert inspect qwen3-mcore --filter '*.mlp.*'\n"
    "  ckpt_convert inspect qwen3-mcore/iter_0000001/mp_rank_00\n"
    "  ckpt_convert inspect model.safetensors --json";

inline constexpr const char* kModelsExamples =
    "Examples:\n"
    "  ckpt_convert models                                the families, and the model types of each\n"
    "  ckpt_convert models show qwen3\n"
    "  ckpt_convert models check my_rules/models/house.json";

}  // namespace ckpt
