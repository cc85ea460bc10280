// AdapterFormat: what trainers call the two factors of a low-rank adapter; rules/adapters/ lists them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

enum class Factor { left, right };

struct AdapterFormat {
    std::string name;
    StemPattern weights;
    StemPattern left;  // weights + scale * left * right
    StemPattern right;

    // The weight whose factor has this name; nullopt when it is the name of none. A number behind the pattern is that of an
    // expert, and stays: "linear_fc1.weight3".
    std::optional<std::string> weight_of(Factor factor, std::string_view factor_name) const;
    // What the factor of a weight is called; nullopt when the format has no name for it.
    std::optional<std::string> name_of(Factor factor, std::string_view weight) const;
};

constexpr auto record_of(const AdapterFormat*) {
    using base::field;
    return base::record("adapter_format", "what a trainer calls the two factors of a low-rank adapter",
                        field("name", &AdapterFormat::name, "what it is called").needed(),
                        field("weights", &AdapterFormat::weights, "names of weights, with one `*`").needed(),
                        field("left", &AdapterFormat::left, "their left factors").needed(),
                        field("right", &AdapterFormat::right, "their right factors").needed());
}

// What weights are called while an adapter wraps their layer, and what otherwise.
struct WrappedName {
    StemPattern from, to;
};
constexpr auto record_of(const WrappedName*) {
    return base::record("wrapped", "", base::field("from", &WrappedName::from, "under an adapter").needed(),
                        base::field("to", &WrappedName::to, "otherwise").needed());
}

struct AdapterFormats {
    std::vector<AdapterFormat> formats;  // the first whose names fit counts
    std::vector<WrappedName> wrapped;

    // The formats in which adapters are written, the first that has a name for a weight counts: for Hugging Face models, in
    // checkpoints that ranks write in shards, and by the dialects of Megatron checkpoints.
    std::vector<AdapterFormat> huggingface;
    std::vector<AdapterFormat> shards;
    std::vector<std::pair<DialectSelector, std::vector<AdapterFormat>>> megatron;

    // Empty when nothing is known that reads adapters in checkpoints of this dialect.
    std::vector<AdapterFormat> written_for(const Dialect& dialect) const;
    // What a weight is called when no adapter wraps its layer.
    std::string plain_name(const std::string& name) const;

    // rules/adapters/formats.json, strictly.
    static Result<AdapterFormats> load(const base::DataStore& store);
};

}  // namespace ckpt
