// QuantisationFormat: how an exporter names and stores numbers of few bits with scales; rules/quantisation/ describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/json.h"
#include "ckpt_convert/tensor/dequantise.h"

namespace ckpt {

// A name with one "*" for any characters.
class StemPattern {
public:
    explicit StemPattern(std::string_view text = "*");

    // What the star stands for in `name`; nullopt when the name is another.
    std::optional<std::string_view> stem(std::string_view name) const;
    std::string with(std::string_view stem) const;

private:
    std::string before_;
    std::string behind_;
};

struct QuantisationFormat {
    std::string name;
    StemPattern values;
    StemPattern result;  // what the tensor of the values is called
    DType stored = DType::i8;
    ValueCode code = ValueCode::i8;
    bool fold = false;  // the last two axes of the file are one of the tensor
    StemPattern scales;
    std::optional<StemPattern> offsets;
    // Rows and columns that share a scale: where config.json says it, and what holds without. Absent: as the shapes say.
    std::string block_path;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> block;
    std::vector<StemPattern> without_effect;  // beside the values, about activations
};

// All of rules/quantisation/, strictly.
base::Result<std::vector<QuantisationFormat>> load_quantisation_formats(const base::DataStore& store);

}  // namespace ckpt
