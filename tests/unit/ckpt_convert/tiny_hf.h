// A tiny Hugging Face checkpoint in memory, with values that tell every element apart.
#pragma once

#include <string>

#include "tests/support/memory_file_system.h"

namespace test {

struct TinyModel {
    std::string model_type = "llama";
    int layers = 4;
    int hidden = 16;
    int heads = 4;
    int kv_groups = 2;
    int head_dim = 4;
    int ffn = 24;
    int vocab = 32;
    bool tied = false;
    bool qkv_bias = false;
    bool qk_norm = false;
    std::string head_bits = {};  // lm_head.weight has the bits of this tensor, and is there in a tied model too
};

// Writes config.json and model.safetensors below `directory`; bf16, element i of tensor t is (hash(t) + i) mod 65536.
void add_tiny_hf(MemoryFileSystem& fs, const base::Path& directory, const TinyModel& model);

}  // namespace test
