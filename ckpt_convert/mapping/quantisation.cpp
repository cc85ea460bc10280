#include "ckpt_convert/mapping/quantisation.h"

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"

namespace ckpt {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kFolder = "rules/quantisation/";
constexpr const char* kQuantisationSchema = "quantisation/1";

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
    TRY_ASSIGN(format.values, StemPattern::of(object, "values"));
    TRY_ASSIGN(format.result, StemPattern::of(object, object.optional("as") != nullptr ? "as" : "values"));
    TRY_ASSIGN(std::string code, object.string("code"));
    TRY_ASSIGN(std::string stored, object.string_or("stored", code));
    auto known = value_code(code);
    auto type = dtype_from_name(stored);
    if (!known || !type) return object.error("\"code\" or \"stored\" is no known type");
    format.code = *known;
    format.stored = *type;
    TRY_ASSIGN(format.fold, object.boolean_or("fold", false));
    TRY_ASSIGN(format.scales, StemPattern::of(object, "scales"));
    if (object.optional("offsets") != nullptr) {
        TRY_ASSIGN(format.offsets, StemPattern::of(object, "offsets"));
    }
    TRY(read_block(object, format));
    TRY_ASSIGN(auto without_effect, object.strings("without_effect"));
    for (const std::string& text : without_effect) format.without_effect.emplace_back(text);
    TRY(object.strings("source"));
    TRY(object.finish());
    return format;
}

}  // namespace

Result<std::vector<QuantisationFormat>> load_quantisation_formats(const base::DataStore& store) {
    std::vector<QuantisationFormat> out;
    for (const std::string& path : store.list(kFolder, ".json")) {
        TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, path));
        TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
        TRY_ASSIGN(std::string schema, object.string("schema"));
        if (schema != kQuantisationSchema)
            return object.error(base::format("\"schema\" must be \"{}\"", kQuantisationSchema));
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
