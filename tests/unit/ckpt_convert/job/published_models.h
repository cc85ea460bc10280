// Sizes of published models, from their config.json.
#pragma once

#include "ckpt_convert/job/model_shape.h"

namespace published {

inline ckpt::GivenSizes dense(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
                              std::int64_t ffn, std::int64_t vocab) {
    ckpt::GivenSizes out;
    out.layers = layers;
    out.hidden = hidden;
    out.heads = heads;
    out.kv_heads = kv_heads;
    out.head_dim = 128;
    out.ffn = ffn;
    out.vocab = vocab;
    return out;
}

inline ckpt::GivenSizes llama2_7b() { return dense(32, 4096, 32, 32, 11008, 32000); }
inline ckpt::GivenSizes llama31_8b() { return dense(32, 4096, 32, 8, 14336, 128256); }
inline ckpt::GivenSizes llama31_70b() { return dense(80, 8192, 64, 8, 28672, 128256); }
inline ckpt::GivenSizes llama31_405b() { return dense(126, 16384, 128, 8, 53248, 128256); }

inline ckpt::GivenSizes qwen25(ckpt::GivenSizes sizes) {
    sizes.qkv_bias = true;
    return sizes;
}
inline ckpt::GivenSizes qwen25_7b() { return qwen25(dense(28, 3584, 28, 4, 18944, 152064)); }
inline ckpt::GivenSizes qwen25_72b() { return qwen25(dense(80, 8192, 64, 8, 29568, 152064)); }

inline ckpt::GivenSizes qwen3(ckpt::GivenSizes sizes, bool tied = false) {
    sizes.qk_norm = true;
    sizes.tied = tied;
    return sizes;
}
inline ckpt::GivenSizes qwen3_0_6b() { return qwen3(dense(28, 1024, 16, 8, 3072, 151936), true); }
inline ckpt::GivenSizes qwen3_8b() { return qwen3(dense(36, 4096, 32, 8, 12288, 151936)); }
inline ckpt::GivenSizes qwen3_32b() { return qwen3(dense(64, 5120, 64, 8, 25600, 151936)); }

inline ckpt::GivenSizes with_experts(ckpt::GivenSizes sizes, std::int64_t experts, std::int64_t topk,
                                     std::int64_t ffn) {
    sizes.experts = experts;
    sizes.topk = topk;
    sizes.moe_ffn = ffn;
    return sizes;
}
inline ckpt::GivenSizes qwen3_30b() { return with_experts(qwen3(dense(48, 2048, 32, 4, 6144, 151936)), 128, 8, 768); }
inline ckpt::GivenSizes qwen3_235b() {
    return with_experts(qwen3(dense(94, 4096, 64, 4, 12288, 151936)), 128, 8, 1536);
}
inline ckpt::GivenSizes mixtral() { return with_experts(dense(32, 4096, 32, 8, 14336, 32000), 8, 2, 14336); }

inline ckpt::GivenSizes latent(ckpt::GivenSizes sizes) {
    sizes.q_rank = 1536;
    sizes.kv_rank = 512;
    sizes.nope_dim = 128;
    sizes.rope_dim = 64;
    sizes.value_dim = 128;
    return sizes;
}
inline ckpt::GivenSizes deepseek_v3() {
    ckpt::GivenSizes out = latent(with_experts(dense(61, 7168, 128, 128, 18432, 129280), 256, 8, 2048));
    out.shared_ffn = 2048;
    out.dense_layers = 3;
    out.mtp = 1;
    return out;
}
inline ckpt::GivenSizes deepseek_v2() {
    ckpt::GivenSizes out = latent(with_experts(dense(60, 5120, 128, 128, 12288, 102400), 160, 6, 1536));
    out.shared_ffn = 3072;
    out.dense_layers = 1;
    return out;
}

}  // namespace published
