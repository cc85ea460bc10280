#include "ckpt_convert/mapping/quantisation.h"

#include "base/format.h"
#include "base/json_object.h"
#include "ckpt_convert/mapping/rule_file.h"

namespace ckpt {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kFolder = "rules/quantisation/";
constexpr const char* kSchema = "quantisation/1";

Result<StemPattern> pattern(const JsonObject& object, const std::string& text) {
    if (text.find('*') == text.npos || text.find('*') != text.rfind('*'))
        return object.error(base::format("\"{}\" must have one *", text));
    return StemPattern(text);
}

// "block": {"config": "quantization_config.weight_block_size", "default": [128, 128]}
Status read_block(JsonObject& object, QuantisationFormat& format) {
    const Json* json = object.optional("block");
    if (json == nullptr) return {};
    TRY_ASSIGN(JsonObject block, JsonObject::of(object.document(), *json));
    TRY_ASSIGN(format.block_path, block.string("config"));
    TRY_ASSIGN(const Json* sizes, block.required("default"));
    const auto* list = sizes->array();
    bool two =
        list != nullptr && list->size() == 2 && (*list)[0].integer() != nullptr && (*list)[1].integer() != nullptr;
    if (!two || *(*list)[0].integer() < 1 || *(*list)[1].integer() < 1)
        return object.error(*sizes, "\"default\" must be the rows and the columns of a block");
    format.block = {static_cast<std::uint64_t>(*(*list)[0].integer()),
                    static_cast<std::uint64_t>(*(*list)[1].integer())};
    return block.finish();
}

Result<QuantisationFormat> read_format(const JsonDocument& document, const Json& json) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    QuantisationFormat format;
    TRY_ASSIGN(format.name, object.string("name"));
    TRY_ASSIGN(std::string values, object.string("values"));
    TRY_ASSIGN(format.values, pattern(object, values));
    TRY_ASSIGN(std::string result, object.string_or("as", values));
    TRY_ASSIGN(format.result, pattern(object, result));
    TRY_ASSIGN(std::string code, object.string("code"));
    TRY_ASSIGN(std::string stored, object.string_or("stored", code));
    auto known = value_code(code);
    auto type = dtype_from_name(stored);
    if (!known || !type) return object.error("\"code\" or \"stored\" is no known type");
    format.code = *known;
    format.stored = *type;
    TRY_ASSIGN(format.fold, object.boolean_or("fold", false));
    TRY_ASSIGN(std::string scales, object.string("scales"));
    TRY_ASSIGN(format.scales, pattern(object, scales));
    TRY_ASSIGN(std::string offsets, object.string_or("offsets", ""));
    if (!offsets.empty()) {
        TRY_ASSIGN(format.offsets, pattern(object, offsets));
    }
    TRY(read_block(object, format));
    TRY_ASSIGN(auto without_effect, object.strings("without_effect"));
    for (const std::string& text : without_effect) {
        TRY_ASSIGN(StemPattern found, pattern(object, text));
        format.without_effect.push_back(std::move(found));
    }
    TRY(object.strings("source"));
    TRY(object.finish());
    return format;
}

}  // namespace

StemPattern::StemPattern(std::string_view text)
    : before_(text.substr(0, text.find('*'))), behind_(text.substr(text.find('*') + 1)) {}

std::optional<std::string_view> StemPattern::stem(std::string_view name) const {
    if (name.size() < before_.size() + behind_.size() || !name.starts_with(before_) || !name.ends_with(behind_))
        return std::nullopt;
    return name.substr(before_.size(), name.size() - before_.size() - behind_.size());
}

std::string StemPattern::with(std::string_view stem) const { return before_ + std::string(stem) + behind_; }

Result<std::vector<QuantisationFormat>> load_quantisation_formats(const base::DataStore& store) {
    std::vector<QuantisationFormat> out;
    for (const std::string& path : store.list(kFolder, ".json")) {
        TRY_ASSIGN(JsonDocument document, read_rule_file(store, path, path));
        TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
        TRY_ASSIGN(std::string schema, object.string("schema"));
        if (schema != kSchema) return object.error(base::format("\"schema\" must be \"{}\"", kSchema));
        TRY_ASSIGN(const Json* formats, object.required("formats"));
        if (formats->array() == nullptr) return object.error(*formats, "\"formats\" must be a list");
        for (const Json& json : *formats->array()) {
            TRY_ASSIGN(QuantisationFormat format, read_format(document, json));
            out.push_back(std::move(format));
        }
        TRY(object.finish());
    }
    return out;
}

}  // namespace ckpt
