#include "ckpt_convert/mapping/mapping_loader.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"
#include "base/text.h"
#include "ckpt_convert/mapping/argument_loader.h"
#include "ckpt_convert/mapping/expression_json.h"
#include "ckpt_convert/mapping/mapping_checks.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kMappingSchema = "model-mapping/1";
constexpr const char* kModelFolder = "rules/models/";

Result<Each> read_each(JsonObject& object) {
    TRY_ASSIGN(std::string each, object.string_or("each", ""));
    if (each.empty()) return Each::model;
    if (each == "layer") return Each::layer;
    if (each == "expert") return Each::expert;
    return object.error("\"each\" can only be \"layer\" or \"expert\"");
}

// {"num_query_groups": "group_query_attention"}
Result<std::map<std::string, std::string, std::less<>>> read_argument_needs(JsonObject& object,
                                                                            const std::vector<std::string>& arguments) {
    std::map<std::string, std::string, std::less<>> out;
    const Json* needs = object.optional("arg_needs");
    if (needs == nullptr) return out;
    if (needs->object() == nullptr) return object.error(*needs, "\"arg_needs\" must be an object");
    for (const auto& [argument, needed] : *needs->object()) {
        if (needed.string() == nullptr || !base::contains(arguments, argument))
            return object.error(needed, "\"arg_needs\" gives for an argument of \"arg\" the name of another one");
        out.emplace(argument, *needed.string());
    }
    return out;
}

Result<ValueRule> read_value(const JsonDocument& document, const std::string& name, const Json& json) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    ValueRule rule;
    rule.name = name;
    TRY_ASSIGN(rule.config, object.strings("config"));
    TRY_ASSIGN(rule.arguments, object.strings("arg"));
    for (std::string& argument : rule.arguments) {
        if (!argument.starts_with("!")) continue;
        rule.argument_negated = true;
        argument.erase(0, 1);
    }
    TRY_ASSIGN(rule.argument_needs, read_argument_needs(object, rule.arguments));
    TRY_ASSIGN(rule.is, object.strings("is"));
    TRY_ASSIGN(rule.count, object.boolean_or("count", false));
    TRY_ASSIGN(rule.first, object.boolean_or("first", false));
    if (object.optional("times") != nullptr) {
        TRY_ASSIGN(rule.times, object.integer("times"));
    }
    TRY_ASSIGN(rule.each, read_each(object));
    if (rule.each == Each::expert) return object.error("a value cannot be there for each expert");
    TRY_ASSIGN(rule.listed, object.strings("listed"));
    if (!rule.listed.empty() && rule.each != Each::layer) return object.error("\"listed\" needs \"each\": \"layer\"");
    if (object.optional("listed_from") != nullptr) {
        if (rule.listed.empty()) return object.error("\"listed_from\" needs \"listed\"");
        TRY_ASSIGN(rule.listed_from, object.integer("listed_from"));
    }
    if (rule.each == Each::layer && object.json().find("default") == nullptr)
        return object.error("a value of each layer needs a \"default\"");
    TRY_ASSIGN(rule.fallback, optional_expression(object, "default"));
    TRY(object.finish());
    return rule;
}

Result<WeightRule> read_weight(const JsonDocument& document, const std::string& name, const Json& json) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    WeightRule rule;
    rule.name = name;
    TRY_ASSIGN(rule.each, read_each(object));
    TRY_ASSIGN(const Json* shape, object.required("shape"));
    if (shape->array() == nullptr || shape->array()->empty())
        return object.error(*shape, "\"shape\" must be a list of expressions");
    for (const Json& extent : *shape->array()) {
        if (extent.string() == nullptr) return object.error(extent, "an extent must be an expression in a string");
        TRY_ASSIGN(Expression parsed, Expression::parse(*extent.string(), document.where(extent)));
        rule.shape.push_back(std::move(parsed));
    }
    TRY_ASSIGN(rule.cast, object.boolean_or("cast", true));
    TRY_ASSIGN(rule.buffer, object.boolean_or("buffer", false));
    TRY_ASSIGN(rule.unused, optional_expression(object, "unused"));
    TRY_ASSIGN(rule.when, optional_expression(object, "when"));
    TRY(object.finish());
    return rule;
}

// One name, or one per dialect.
Status read_names(JsonObject& object, std::string_view key,
                  std::vector<std::pair<DialectSelector, std::string>>& names) {
    TRY_ASSIGN(const Json* name, object.required(key));
    if (name->string() != nullptr) {
        names.emplace_back(DialectSelector(), *name->string());
        return {};
    }
    if (name->object() == nullptr || name->object()->empty()) {
        return object.error(*name, base::format("\"{}\" must be a string, or an object of one name per dialect", key));
    }
    for (const auto& [dialect, text] : *name->object()) {
        if (text.string() == nullptr) return object.error(text, "a name must be a string");
        TRY_ASSIGN(DialectSelector selector, DialectSelector::parse(dialect, object.document().where(text)));
        names.emplace_back(std::move(selector), *text.string());
    }
    return {};
}

Status read_stage(JsonObject& object, StoredRule& rule) {
    TRY_ASSIGN(rule.each, read_each(object));
    bool repeated = rule.each != Each::model;
    TRY_ASSIGN(std::string stage, object.string_or("stage", repeated ? "layer" : "first"));
    if (stage == "first") rule.stage = Stage::first;
    else if (stage == "last") rule.stage = Stage::last;
    else if (stage == "layer") rule.stage = Stage::layer;
    else return object.error("\"stage\" must be \"first\" or \"last\"");
    if (repeated != (rule.stage == Stage::layer))
        return object.error("a tensor of each layer has no \"stage\" of its own");
    return {};
}

Result<int> axis_number(JsonObject& object, std::string_view key) {
    constexpr std::int64_t kMostAxes = 64;
    TRY_ASSIGN(std::int64_t axis, object.integer(key));
    if (axis < 0 || axis >= kMostAxes) return object.error(base::format("\"{}\" is no axis of a tensor", key));
    return static_cast<int>(axis);
}

// "expert 1 0": words for the axes of a tensor and for the layer's experts; "one" is an axis of length 1.
Result<std::vector<int>> stack_axes(JsonObject& object, std::string_view text) {
    std::vector<int> out;
    for (std::string_view word : base::split(text, ' ')) {
        if (word == "one") continue;
        bool axis = word.size() == 1 && word[0] >= '0' && word[0] <= '9';
        if (!axis && word != "expert")
            return object.error(base::format("\"{}\" is neither \"expert\" nor the number of an axis", word));
        out.push_back(axis ? word[0] - '0' : ExpertStack::kExperts);
    }
    return out;
}

Status read_plus(JsonObject& object, StoredRule& rule) {
    const Json* found = object.optional("plus");
    if (found == nullptr) return {};
    auto number = found->integer() != nullptr ? static_cast<double>(*found->integer())
                                              : (found->real() != nullptr ? *found->real() : 0.0);
    if (number == 0) return object.error(*found, "\"plus\" must be a number other than 0");
    rule.plus = static_cast<float>(number);
    return {};
}

// "stack": "expert 1 0" is the order in memory, "stack_shape": "1, expert 0" what the axes of the tensor are made of.
Status read_stack(JsonObject& object, StoredRule& rule) {
    TRY_ASSIGN(std::string memory, object.string_or("stack", ""));
    TRY_ASSIGN(rule.stack.memory, stack_axes(object, memory));
    TRY_ASSIGN(std::string shape, object.string_or("stack_shape", ""));
    for (std::string_view axis : base::split(shape, ',')) {
        TRY_ASSIGN(auto words, stack_axes(object, axis));
        rule.stack.axes.push_back(std::move(words));
    }
    if (rule.stack.memory.empty()) {
        return rule.stack.axes.empty() ? Status() : object.error("\"stack_shape\" needs \"stack\"");
    }
    bool of_experts = rule.stack.of_experts();
    if (of_experts && rule.each != Each::layer) return object.error("a stack of experts is there for each layer");
    if (rule.pad) return object.error("a tensor with \"pad\" lies in memory as it is");
    std::vector<int> folded;
    for (const auto& axis : rule.stack.axes) folded.insert(folded.end(), axis.begin(), axis.end());
    std::vector<int> order = rule.stack.memory;
    std::sort(order.begin(), order.end());
    std::sort(folded.begin(), folded.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] != static_cast<int>(i) - of_experts)
            return object.error("\"stack\" must name every axis once, and the experts if there are any");
    }
    if (!folded.empty() && folded != order) return object.error("\"stack_shape\" must name what \"stack\" names");
    return {};
}

Status read_mcore_keys(JsonObject& object, StoredRule& rule) {
    if (object.optional("shard") != nullptr) {
        TRY_ASSIGN(rule.shard, axis_number(object, "shard"));
    }
    TRY_ASSIGN(std::string dialect, object.string_or("dialect", ""));
    TRY_ASSIGN(rule.dialect, DialectSelector::parse(dialect, object.document().where(object.json())));
    TRY_ASSIGN(rule.repeat, object.strings("repeat"));
    TRY_ASSIGN(rule.extra_state, object.boolean_or("extra_state", false));
    return {};
}

// {"tied": 0}
Status read_apart(JsonObject& object, StoredRule& rule) {
    const Json* found = object.optional("apart");
    if (found == nullptr) return {};
    const auto* members = found->object();
    if (members == nullptr || members->size() != 1 || members->front().second.integer() == nullptr)
        return object.error(*found, "\"apart\" must be an object of one value of the model and its number");
    rule.apart = Setting{members->front().first, *members->front().second.integer()};
    return {};
}

Result<StoredRule> read_stored(const JsonDocument& document, const Json& json, bool is_mcore) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    StoredRule rule;
    TRY(read_names(object, "name", rule.names));
    TRY_ASSIGN(rule.weights, object.strings("of"));
    if (rule.weights.empty()) return object.error("\"of\" must name at least one weight");
    TRY(read_stage(object, rule));
    TRY_ASSIGN(rule.interleave, optional_expression(object, "interleave"));
    TRY_ASSIGN(rule.optional, object.boolean_or("optional", false));
    TRY_ASSIGN(rule.when, optional_expression(object, "when"));
    if (object.optional("axis") != nullptr) {
        TRY_ASSIGN(rule.axis, axis_number(object, "axis"));
    }
    if (object.optional("unzip") != nullptr) {
        TRY_ASSIGN(rule.unzip, axis_number(object, "unzip"));
    }
    TRY_ASSIGN(rule.pad, optional_expression(object, "pad"));
    TRY_ASSIGN(rule.pad_zero, object.boolean_or("pad_zero", false));
    if (rule.pad_zero && !rule.pad) return object.error("\"pad_zero\" needs \"pad\"");
    TRY(read_stack(object, rule));
    TRY(read_plus(object, rule));
    TRY_ASSIGN(rule.copy, object.boolean_or("copy", false));
    TRY(read_apart(object, rule));
    if (is_mcore) {
        TRY(read_mcore_keys(object, rule));
    } else {
        TRY_ASSIGN(rule.form, object.string_or("form", ""));
        TRY_ASSIGN(rule.once, optional_expression(object, "once"));
    }
    TRY(object.finish());
    return rule;
}

// Adds the section's entries. Those that are there from `included` on are of blocks that the file includes, and it may
// redefine them.
template <class Rule, class Read>
Status read_named(JsonObject& object, std::string_view key, std::vector<Rule>& out, std::size_t included, Read read) {
    const Json* section = object.optional(key);
    if (section == nullptr) return {};
    const std::size_t own = out.size();
    if (section->object() == nullptr) return object.error(*section, base::format("\"{}\" must be an object", key));
    for (const auto& [name, json] : *section->object()) {
        TRY_ASSIGN(Rule rule, read(object.document(), name, json));
        auto same = std::find_if(out.begin(), out.end(), [&](const Rule& other) { return other.name == rule.name; });
        auto at = static_cast<std::size_t>(same - out.begin());
        if (same == out.end()) out.push_back(std::move(rule));
        else if (included <= at && at < own) *same = std::move(rule);
        else return object.error(json, base::format("\"{}\" is defined twice", name));
    }
    return {};
}

Status read_stored_list(JsonObject& object, std::string_view key, std::vector<StoredRule>& out, bool is_mcore) {
    const Json* section = object.optional(key);
    if (section == nullptr) return {};
    if (section->array() == nullptr) return object.error(*section, base::format("\"{}\" must be a list", key));
    for (const Json& json : *section->array()) {
        TRY_ASSIGN(StoredRule rule, read_stored(object.document(), json, is_mcore));
        out.push_back(std::move(rule));
    }
    return {};
}

// "requires": [{"dialect": "mindspeed", "that": "tp == 1", "because": "its module is not split"}].
Status read_requirements(JsonObject& object, ModelMapping& mapping) {
    const Json* section = object.optional("requires");
    if (section == nullptr) return {};
    if (section->array() == nullptr) return object.error(*section, "\"requires\" must be a list");
    for (const Json& json : *section->array()) {
        TRY_ASSIGN(JsonObject entry, JsonObject::of(object.document(), json));
        Requirement requirement;
        TRY_ASSIGN(std::string dialect, entry.string_or("dialect", ""));
        TRY_ASSIGN(requirement.dialect, DialectSelector::parse(dialect, object.document().where(json)));
        TRY(entry.required("that"));
        TRY_ASSIGN(requirement.that, optional_expression(entry, "that"));
        TRY_ASSIGN(requirement.because, entry.string("because"));
        TRY(entry.finish());
        mapping.requirements.push_back(std::move(requirement));
    }
    return {};
}

// "mtp": {"mcore": names that MTP layers begin with, "hf": the same}.
Status read_mtp(JsonObject& object, ModelMapping& mapping) {
    const Json* section = object.optional("mtp");
    if (section == nullptr) return {};
    TRY_ASSIGN(JsonObject mtp, JsonObject::of(object.document(), *section));
    mapping.mtp_mcore.clear();
    TRY(read_names(mtp, "mcore", mapping.mtp_mcore));
    TRY_ASSIGN(mapping.mtp_hf, mtp.string_or("hf", ""));
    return mtp.finish();
}

// How many entries were there before a file's includes were read.
struct SectionSizes {
    std::size_t values = 0, args = 0, flags = 0;
};

// The sections that a family file and a block have in common.
Status read_sections(JsonObject& object, ModelMapping& mapping, const SectionSizes& before) {
    TRY(read_named(object, "values", mapping.values, before.values, read_value));
    TRY(read_named(object, "weights", mapping.weights, mapping.weights.size(), read_weight));
    TRY(read_stored_list(object, "hf", mapping.hf, false));
    TRY(read_stored_list(object, "mcore", mapping.mcore, true));
    TRY(read_named(object, "args", mapping.args, before.args, read_argument));
    TRY(read_named(object, "flags", mapping.flags, before.flags, read_argument));
    TRY(read_mtp(object, mapping));
    TRY(read_requirements(object, mapping));
    TRY_ASSIGN(auto ignore, object.strings("ignore"));
    mapping.ignore.insert(mapping.ignore.end(), ignore.begin(), ignore.end());
    return {};
}

// Blocks in the order of their inclusion, each once, those that a block includes before it.
Status read_blocks(base::RuleFiles& files, JsonObject& includer, std::set<std::string>& seen, ModelMapping& mapping) {
    TRY_ASSIGN(auto names, includer.strings("include"));
    for (const std::string& name : names) {
        if (!seen.insert(name).second) continue;
        TRY_ASSIGN(const JsonDocument* document, files.read(kModelFolder + name, includer.document().name));
        TRY_ASSIGN(JsonObject object, JsonObject::of(*document, document->root));
        TRY(object.string("about"));
        TRY(object.strings("source"));  // for people
        SectionSizes before{mapping.values.size(), mapping.args.size(), mapping.flags.size()};
        TRY(read_blocks(files, object, seen, mapping));
        TRY(read_sections(object, mapping, before));
        TRY(object.finish());
    }
    return {};
}

}  // namespace

Result<ModelMapping> load_mapping(base::RuleFiles& files, const std::string& path) {
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(files.store(), path));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    ModelMapping mapping;
    mapping.origin = files.store().origin(path);
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kMappingSchema) return object.error(base::format("\"schema\" must be \"{}\"", kMappingSchema));
    TRY_ASSIGN(mapping.family, object.string("family"));
    TRY_ASSIGN(mapping.title, object.string("title"));
    TRY_ASSIGN(mapping.model_types, object.strings("model_types"));
    TRY_ASSIGN(mapping.peer_names, object.strings("peer_names"));
    TRY_ASSIGN(mapping.trained_by, object.strings("trained_by"));
    TRY_ASSIGN(mapping.hf_prefixes, object.strings("hf_prefixes"));
    TRY_ASSIGN(mapping.layers_apart, optional_expression(object, "layers_apart"));
    TRY_ASSIGN(mapping.source, object.strings("source"));
    std::set<std::string> seen;
    TRY(read_blocks(files, object, seen, mapping));
    TRY(read_sections(object, mapping, SectionSizes()));
    TRY(object.finish());
    TRY(check_mapping(mapping));
    return mapping;
}

}  // namespace ckpt
