#include "ckpt_convert/mapping/adapter_format.h"

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

}  // namespace

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
    TRY(object.strings("source"));
    TRY(object.finish());
    return out;
}

}  // namespace ckpt
