#include "ckpt_convert/mapping/adapter_format.h"

#include <algorithm>

#include "base/format.h"
#include "base/rule_file.h"

namespace ckpt {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kFile = "rules/adapters/formats.json";
constexpr const char* kAdapterSchema = "adapters/1";

// Calls read(entry) for every object of a list.
template <class Read>
Status each_entry(JsonObject& object, std::string_view key, Read read) {
    TRY_ASSIGN(const Json* list, object.required(key));
    if (list->array() == nullptr) return object.error(*list, base::format("\"{}\" must be a list", key));
    for (const Json& json : *list->array()) {
        TRY_ASSIGN(JsonObject entry, JsonObject::of(object.document(), json));
        TRY(read(entry));
        TRY(entry.finish());
    }
    return {};
}

// The formats that a list names.
Result<std::vector<AdapterFormat>> written_formats(JsonObject& object, std::string_view key,
                                                   const std::vector<AdapterFormat>& known) {
    TRY_ASSIGN(auto names, object.strings(key));
    std::vector<AdapterFormat> out;
    for (const std::string& name : names) {
        auto found =
            std::find_if(known.begin(), known.end(), [&](const AdapterFormat& format) { return format.name == name; });
        if (found == known.end()) return object.error(base::format("no format is called \"{}\"", name));
        out.push_back(*found);
    }
    return out;
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
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, kFile));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kAdapterSchema) return object.error(base::format("\"schema\" must be \"{}\"", kAdapterSchema));
    AdapterFormats out;
    TRY(each_entry(object, "formats", [&](JsonObject& entry) -> Status {
        AdapterFormat format;
        TRY_ASSIGN(format.name, entry.string("name"));
        TRY_ASSIGN(format.weights, StemPattern::of(entry, "weights"));
        TRY_ASSIGN(format.left, StemPattern::of(entry, "left"));
        TRY_ASSIGN(format.right, StemPattern::of(entry, "right"));
        out.formats.push_back(std::move(format));
        return {};
    }));
    TRY(each_entry(object, "wrapped", [&](JsonObject& entry) -> Status {
        TRY_ASSIGN(StemPattern from, StemPattern::of(entry, "from"));
        TRY_ASSIGN(StemPattern to, StemPattern::of(entry, "to"));
        out.wrapped.emplace_back(std::move(from), std::move(to));
        return {};
    }));
    TRY_ASSIGN(out.huggingface, written_formats(object, "huggingface", out.formats));
    TRY(each_entry(object, "megatron", [&](JsonObject& entry) -> Status {
        TRY_ASSIGN(std::string words, entry.string("for"));
        TRY_ASSIGN(DialectSelector dialect, DialectSelector::parse(words, kFile));
        TRY_ASSIGN(auto written, written_formats(entry, "formats", out.formats));
        out.megatron.emplace_back(std::move(dialect), std::move(written));
        return {};
    }));
    TRY(object.strings("source"));
    TRY(object.finish());
    return out;
}

}  // namespace ckpt
