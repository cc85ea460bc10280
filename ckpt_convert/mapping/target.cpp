#include "ckpt_convert/mapping/target.h"

#include "base/checked_math.h"
#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;

constexpr const char* kTargetFolder = "rules/targets/";
constexpr const char* kTargetSchema = "conversion-target/1";
constexpr const char* kPaddingFile = "rules/targets/vocab_padding.json";
constexpr const char* kPaddingSchema = "vocab-padding/1";

Result<JsonDocument> read_document(const base::DataStore& store, const std::string& path, std::string_view schema) {
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, path));
    const Json* found = document.root.find("schema");
    if (found == nullptr || found->string() == nullptr || *found->string() != schema) {
        return base::fail(ErrorKind::rule_data, base::format("\"schema\" must be \"{}\"", schema), store.origin(path));
    }
    return document;
}

Result<Target> read_target(const JsonDocument& document) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY(object.string("schema"));
    Target target;
    TRY_ASSIGN(target.name, object.string("name"));
    TRY_ASSIGN(target.title, object.string("title"));
    TRY_ASSIGN(std::string core, object.string("core"));
    TRY_ASSIGN(target.core, CoreVersion::parse(core, ErrorKind::rule_data, document.name));
    TRY_ASSIGN(target.layers, object.string("layers"));
    if (target.layers != "local" && target.layers != "te")
        return object.error("\"layers\" must be \"local\" or \"te\"");
    TRY_ASSIGN(target.iteration, object.string("iteration"));
    TRY_ASSIGN(target.extra_state, object.boolean_or("extra_state", false));
    TRY_ASSIGN(target.source, object.strings("source"));
    TRY(object.finish());
    return target;
}

Result<VocabPadding> read_padding(const JsonDocument& document, const Json& json) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    VocabPadding padding;
    TRY_ASSIGN(padding.name, object.string("name"));
    TRY_ASSIGN(std::int64_t divisor, object.integer("divisor"));
    if (divisor < 1) return object.error("\"divisor\" must be at least 1");
    padding.divisor = static_cast<std::uint64_t>(divisor);
    TRY_ASSIGN(padding.times_tp, object.boolean_or("times_tp", false));
    TRY_ASSIGN(std::string fill, object.string("fill"));
    TRY_ASSIGN(padding.fill, vocab_fill(fill, ErrorKind::rule_data, document.where(json)));
    TRY(object.string("about"));
    TRY(object.finish());
    return padding;
}

template <class Item>
Result<const Item*> by_name(const std::vector<Item>& items, std::string_view name, std::string_view option) {
    std::vector<std::string> names;
    for (const Item& item : items) {
        if (item.name == name) return &item;
        names.push_back(item.name);
    }
    return base::fail(ErrorKind::usage,
                      base::format("{}: there is no \"{}\"; known: {}", option, name, base::joined(names, ", ")));
}

}  // namespace

Result<VocabFill> vocab_fill(std::string_view name, ErrorKind kind, const std::string& where) {
    if (name == "zero") return VocabFill::zero;
    if (name == "last-row") return VocabFill::last_row;
    if (name == "mean") return VocabFill::mean;
    return base::fail(kind, base::format("\"{}\" is none of zero, last-row and mean", name), where);
}

std::optional<std::uint64_t> VocabPadding::padded(std::uint64_t vocab, int tp) const {
    auto step = times_tp ? base::checked_mul(divisor, static_cast<std::uint64_t>(tp)) : std::optional(divisor);
    if (!step || vocab == 0) return std::nullopt;
    return base::checked_mul((vocab - 1) / *step + 1, *step);
}

Result<TargetRegistry> TargetRegistry::load(const base::DataStore& store) {
    TargetRegistry registry;
    for (const std::string& path : store.list(kTargetFolder, ".json")) {
        if (path == kPaddingFile) continue;
        TRY_ASSIGN(JsonDocument document, read_document(store, path, kTargetSchema));
        TRY_ASSIGN(Target target, read_target(document));
        registry.targets_.push_back(std::move(target));
    }
    TRY_ASSIGN(JsonDocument document, read_document(store, kPaddingFile, kPaddingSchema));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY(object.string("schema"));
    TRY_ASSIGN(const Json* rules, object.required("rules"));
    if (rules->array() == nullptr) return object.error(*rules, "\"rules\" must be a list");
    for (const Json& json : *rules->array()) {
        TRY_ASSIGN(VocabPadding padding, read_padding(document, json));
        registry.paddings_.push_back(std::move(padding));
    }
    TRY(object.finish());
    return registry;
}

Result<const Target*> TargetRegistry::target(std::string_view name) const {
    return by_name(targets_, name, "--target");
}

Result<const VocabPadding*> TargetRegistry::padding(std::string_view name) const {
    return by_name(paddings_, name, "--vocab-padding");
}

}  // namespace ckpt
