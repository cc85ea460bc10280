#include "ckpt_convert/mapping/quantisation.h"

// [128, 128]
template <>
struct base::InJson<std::pair<std::uint64_t, std::uint64_t>> {
    static Result<std::pair<std::uint64_t, std::uint64_t>> read(const JsonPlace& at) {
        const auto sizes = read_json<std::vector<std::uint64_t>>(at);
        if (!sizes || sizes->size() != 2 || sizes->front() < 1 || sizes->back() < 1)
            return at.error("\"default\" must be the rows and the columns of a block");
        return std::pair(sizes->front(), sizes->back());
    }
};

namespace ckpt {

constexpr auto record_of(const ScaledBlock*) {
    return base::record("block", "rows and columns that share a scale",
                        base::field("config", &ScaledBlock::config, "where config.json says them").needed(),
                        base::field("default", &ScaledBlock::fallback, "what they are without").needed());
}

constexpr auto record_of(const QuantisationFormat*) {
    using base::field;
    using Format = QuantisationFormat;
    return base::record(
        "quantisation_format", "how an exporter names and stores numbers of few bits with scales",
        field("name", &Format::name, "what it is called").needed(),
        field("values", &Format::values, "the names of the values, with one `*`").needed(),
        field("as", &Format::as, "what their tensor is called, if not so"),
        field("code", &Format::code_name, "how a value is written").needed(),
        field("stored", &Format::stored_name, "the type of the file's elements, if it is not the code's"),
        field("fold", &Format::fold, "the last two axes of the file are one of the tensor"),
        field("scales", &Format::scales, "the names of the scales").needed(),
        field("offsets", &Format::offsets, "the names of the offsets"),
        field("block", &Format::block, "rows and columns that share a scale; without it the shapes say"),
        field("without_effect", &Format::without_effect, "tensors next to them, about activations"),
        field("source", &Format::source, "where that stands"));
}

Status QuantisationFormat::check(const base::JsonPlace& at) {
    const auto known = value_code(code_name);
    const auto type = dtype_from_name(stored_name.empty() ? code_name : stored_name);
    if (!known || !type) return at.error("\"code\" or \"stored\" is not a known type");
    code = *known;
    stored = *type;
    return {};
}

Result<std::vector<QuantisationFormat>> load_quantisation_formats(const base::DataStore& store) {
    std::vector<QuantisationFormat> out;
    for (const std::string& path : store.list("rules/quantisation/", ".json")) {
        TRY_ASSIGN(auto formats, (read_rule_list<"quantisation/1", "formats", QuantisationFormat>(store, path)));
        out.insert(out.end(), formats.begin(), formats.end());
    }
    return out;
}

}  // namespace ckpt
