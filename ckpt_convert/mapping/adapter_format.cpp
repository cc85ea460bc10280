#include "ckpt_convert/mapping/adapter_format.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr const char* kFile = "rules/adapters/formats.json";

// The formats that a list names.
Result<std::vector<AdapterFormat>> formats_named(const std::vector<std::string>& names,
                                                 const std::vector<AdapterFormat>& known) {
    std::vector<AdapterFormat> out;
    for (const std::string& name : names) {
        auto found =
            std::find_if(known.begin(), known.end(), [&](const AdapterFormat& format) { return format.name == name; });
        if (found == known.end())
            return base::fail(ErrorKind::rule_data, base::format("unknown format \"{}\"", name), kFile);
        out.push_back(*found);
    }
    return out;
}

// Which formats are written for a dialect.
struct WrittenFor {
    DialectSelector dialect;
    std::vector<std::string> formats;
};
constexpr auto record_of(const WrittenFor*) {
    return base::record("written_for", "", base::field("for", &WrittenFor::dialect, "a dialect").needed(),
                        base::field("formats", &WrittenFor::formats, "names of formats").needed());
}

struct AdapterFile : RuleFile<"adapters/1"> {
    List<AdapterFormat> formats;
    List<WrappedName> wrapped;
    std::vector<std::string> huggingface;
    std::vector<std::string> shards;
    List<WrittenFor> megatron;
};
constexpr auto record_of(const AdapterFile* file) {
    using base::field;
    return base::extended(record_of(static_cast<const RuleFile<"adapters/1">*>(file)), "adapters", "",
                          field("formats", &AdapterFile::formats, "the first whose names fit counts").needed(),
                          field("wrapped", &AdapterFile::wrapped, "names of weights under an adapter").needed(),
                          field("huggingface", &AdapterFile::huggingface, "the formats written for such models"),
                          field("shards", &AdapterFile::shards, "the same in checkpoints that ranks write in shards"),
                          field("megatron", &AdapterFile::megatron, "the same by dialect").needed());
}

// The name in one pattern that the other has for it, with the number behind it, if there is one.
std::optional<std::string> translated(const StemPattern& from, const StemPattern& to, std::string_view name) {
    if (auto stem = from.stem(name)) return to.with(*stem);
    std::size_t number = name.find_last_not_of("0123456789") + 1;
    auto stem = from.stem(name.substr(0, number));
    return stem ? std::optional(to.with(*stem) + std::string(name.substr(number))) : std::nullopt;
}

}  // namespace

std::optional<std::string> AdapterFormat::weight_of(Factor factor, std::string_view factor_name) const {
    return translated(factor == Factor::left ? left : right, weights, factor_name);
}

std::optional<std::string> AdapterFormat::name_of(Factor factor, std::string_view weight) const {
    return translated(weights, factor == Factor::left ? left : right, weight);
}

std::string AdapterFormats::plain_name(const std::string& name) const {
    for (const auto& [from, to] : wrapped) {
        if (auto plain = translated(from, to, name)) return *plain;
    }
    return name;
}

std::vector<AdapterFormat> AdapterFormats::written_for(const Dialect& dialect) const {
    for (const auto& [selector, formats_of_dialect] : megatron) {
        if (selector.matches(dialect)) return formats_of_dialect;
    }
    return {};
}

Result<AdapterFormats> AdapterFormats::load(const base::DataStore& store) {
    TRY_ASSIGN(AdapterFile file, base::read_rule_record<AdapterFile>(store, kFile));
    AdapterFormats out{std::move(file.formats), std::move(file.wrapped), {}, {}, {}};
    TRY_ASSIGN(out.huggingface, formats_named(file.huggingface, out.formats));
    TRY_ASSIGN(out.shards, formats_named(file.shards, out.formats));
    for (WrittenFor& entry : file.megatron) {
        TRY_ASSIGN(auto written, formats_named(entry.formats, out.formats));
        out.megatron.emplace_back(std::move(entry.dialect), std::move(written));
    }
    return out;
}

}  // namespace ckpt
