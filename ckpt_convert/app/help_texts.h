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

inline constexpr const char* kPlanHelp =
    "Plan a training: ckpt_convert plan MODEL --devices N --device NAME; or a conversion, as --dry-run does: "
    "ckpt_convert plan INPUT OUTPUT";

inline constexpr const char* kPlanExamples =
    "Examples:\n"
    "  ckpt_convert plan Qwen3-8B --devices 8 --device a2\n"
    "      layouts that fit, the fastest first\n"
    "  ckpt_convert plan Qwen3-8B --devices 8 --device a2 --tp 2 --pp 2 --explain 0\n"
    "      what each stage of this layout holds, and stage 0 tensor by tensor\n"
    "  ckpt_convert plan Qwen3-8B qwen3-mcore --tp 2 --pp 2\n"
    "      a conversion: check everything and write nothing\n"
    "\n"
    "Exit codes of a training's plan: 0 it fits, 1 it does not.";

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

inline constexpr const char* kLaunchHelp =
    "Write the scripts that go with a model: conversion, data, training, answers; or check one that is there (--check)";

inline constexpr const char* kLaunchExamples =
    "Examples:\n"
    "  ckpt_convert launch Qwen3-8B qwen3-scripts --devices 8 --tp 2 --pp 2\n"
    "  ckpt_convert launch qwen3-mcore qwen3-scripts              the layout is that of the checkpoint\n"
    "  ckpt_convert launch Qwen3-8B qwen3-fsdp2 --target fsdp2 --devices 16\n"
    "  ckpt_convert launch Qwen3-8B qwen3-megatron --target megatron --tp 4\n"
    "  ckpt_convert launch --check pretrain.sh --model Qwen3-8B --device a2\n"
    "  ckpt_convert launch --check pretrain.sh --model Qwen3-8B --fix\n"
    "\n"
    "Exit codes of --check: 0 nothing is wrong, 1 an error or a warning was found.";

}  // namespace ckpt
