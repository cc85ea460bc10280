// Models and their layouts by hand, with the rows of stored tensors as words.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "base/format.h"
#include "ckpt_convert/plan/layout.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace test {

// A llama with one layer and hidden size 1, so that every matrix is a column of rows.
struct ColumnModel {
    int heads = 4;
    int kv_groups = 2;
    int head_dim = 1;
    int ffn = 4;
    int vocab = 4;
    int layers = 1;
    std::string family = "llama2";
    std::string more = "";  // of config.json
};

inline ckpt::Model model_of(const ColumnModel& sizes) {
    const ckpt::ModelMapping& mapping = **knowledge().families.for_name(sizes.family);
    auto config = base::parse_json(
        base::format(R"({{"num_hidden_layers": {}, "hidden_size": 1, "num_attention_heads": {}, "vocab_size": {},
            "num_key_value_heads": {}, "head_dim": {}, "intermediate_size": {}, "tie_word_embeddings": false{}}})",
                     sizes.layers, sizes.heads, sizes.vocab, sizes.kv_groups, sizes.head_dim, sizes.ffn, sizes.more),
        "config.json");
    REQUIRE(config);
    auto values = ckpt::values_from_config(mapping, *config);
    REQUIRE(values);
    return *ckpt::Model::make(mapping, *values);
}

inline ckpt::ParallelLayout tensor_parallel(const ckpt::Model& model, int tp,
                                            ckpt::KvSharing sharing = ckpt::KvSharing::refuse) {
    ckpt::ParallelLayout out;
    out.tp = tp;
    out.placement = *ckpt::place_layers({}, model.layers());
    out.kv_sharing = sharing;
    return out;
}

// The rows of a stored tensor along `axis`, each as the initial of its weight and the row there: "q0 q1 k0 v0"; "-" is
// padding.
inline std::string rows_of(const ckpt::Model& model, const ckpt::LayoutTensor& tensor, std::size_t axis = 0) {
    std::vector<std::string> rows(tensor.shape[axis], "?");
    for (const auto& piece : tensor.pieces) {
        const std::string& name = model.tensors()[piece.logical].name;
        for (std::uint64_t i = 0; i < piece.extent[axis]; ++i)
            rows[piece.in_stored[axis] + i] =
                base::format("{}{}", name[name.rfind('.') + 1], piece.in_logical[axis] + i);
    }
    for (std::uint64_t i = 0; i < tensor.fill_rows; ++i) rows[rows.size() - 1 - i] = "-";
    return base::joined(rows, " ");
}

// The rows of the tensor whose name ends with `name` on each TP rank: "q0 k0 v0 / q1 k1 v1".
inline std::string ranks_of(const ckpt::Model& model, const ckpt::ParallelLayout& parallel, std::string_view name,
                            std::size_t axis = 0) {
    auto layout = ckpt::mcore_layout(model, parallel);
    REQUIRE_MESSAGE(layout, layout.error().text());
    std::vector<std::string> ranks;
    for (const auto& tensor : layout->tensors) {
        if (tensor.name.ends_with(name)) ranks.push_back(rows_of(model, tensor, axis));
    }
    return base::joined(ranks, " / ");
}

}  // namespace test
