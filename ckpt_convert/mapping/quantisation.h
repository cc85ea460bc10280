// QuantisationFormat: how an exporter names and stores numbers of few bits with scales; rules/quantisation/ describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"
#include "ckpt_convert/tensor/dequantise.h"

namespace ckpt {

// Rows and columns that share a scale: where config.json says it, and what holds without.
struct ScaledBlock {
    std::string config;
    std::pair<std::uint64_t, std::uint64_t> fallback;
};

struct QuantisationFormat {
    std::string name;
    StemPattern values;
    std::optional<StemPattern> as;  // what the tensor of the values is called, if not as they are
    DType stored = DType::i8;
    ValueCode code = ValueCode::i8;
    bool fold = false;  // the last two axes of the file are one of the tensor
    StemPattern scales;
    std::optional<StemPattern> offsets;
    std::optional<ScaledBlock> block;         // absent: as the shapes say
    std::vector<StemPattern> without_effect;  // beside the values, about activations
    std::vector<std::string> source;

    // What the file says of them.
    std::string code_name, stored_name;
    Status check(const base::JsonPlace& at);

    const StemPattern& result() const { return as ? *as : values; }
};

// All of rules/quantisation/, strictly.
Result<std::vector<QuantisationFormat>> load_quantisation_formats(const base::DataStore& store);

}  // namespace ckpt
