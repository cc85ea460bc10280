#include "ckpt_convert/plan/arguments.h"

#include <algorithm>
#include <optional>

#include "base/format.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::Result;

const Json* copied(const ArgumentRule& rule, const ArgumentFacts& facts) {
    for (const std::string& path : rule.config) {
        const Json* found = facts.config == nullptr ? nullptr : facts.config->find_path(path);
        if (found != nullptr && !found->is_null()) return found;
    }
    return nullptr;
}

// "--rotary-base" is saved as "rotary_base".
std::string argument_name(std::string name) {
    if (name.starts_with("--")) name.erase(0, 2);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

const Json* saved(const ArgumentRule& rule, const ArgumentFacts& facts) {
    const Json* found = facts.saved == nullptr ? nullptr : facts.saved->find(argument_name(rule.name));
    return found == nullptr || found->is_null() ? nullptr : found;
}

// True when a conversion may change what the rule says: it speaks of the layout, of sizes that options reduce, or of
// the conversion itself.
bool changes(const ArgumentRule& rule, const ArgumentFacts& facts) {
    using Kind = ArgumentRule::Kind;
    if (rule.kind == Kind::text || rule.kind == Kind::list || rule.kind == Kind::letters) return true;
    bool computed = rule.kind == Kind::integer || rule.kind == Kind::boolean || rule.kind == Kind::ratio;
    std::vector<std::string> names;
    if (computed) names = rule.expression->names();
    if (computed && names.empty()) return true;
    if (rule.when) names.insert(names.end(), rule.when->names().begin(), rule.when->names().end());
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return facts.numbers.contains(name) || name == "vocab" || name == "layers";
    });
}

Result<const std::vector<std::int64_t>*> list_of(const ArgumentRule& rule, const std::string& value, const Model& model,
                                                 const ArgumentFacts& facts) {
    auto found = facts.lists.find(value);
    if (found != facts.lists.end()) return &found->second;
    return base::fail(ErrorKind::rule_data, base::format("{}: \"{}\" is no value of each layer", rule.name, value),
                      model.mapping().origin);
}

// For each layer the letter of the value that is not 0 there; nothing where all are.
Result<std::string> letters_of(const ArgumentRule& rule, const Model& model, const ArgumentFacts& facts) {
    std::vector<std::string> by_layer;
    for (const auto& [letter, value] : *rule.literal.object()) {
        TRY_ASSIGN(const auto* list, list_of(rule, value.string() == nullptr ? "" : *value.string(), model, facts));
        by_layer.resize(list->size());
        for (std::size_t layer = 0; layer < list->size(); ++layer) {
            if ((*list)[layer] != 0) by_layer[layer] = letter;
        }
    }
    return base::joined(by_layer, "");
}

// The value of a rule; nullopt when its condition does not hold and there is no other value.
Result<std::optional<Json>> value_of(const ArgumentRule& rule, const Model& model, const ArgumentFacts& facts) {
    // Without a config the arguments of the source know the model best.
    if (const Json* known = saved(rule, facts); known != nullptr && facts.config == nullptr && !changes(rule, facts))
        return std::optional(*known);
    auto lookup = lookup_in(model.values(), facts.numbers);
    TRY_ASSIGN(bool present, holds(rule.when, lookup));
    if (!present) return rule.otherwise;
    switch (rule.kind) {
        case ArgumentRule::Kind::literal: return std::optional(rule.literal);
        case ArgumentRule::Kind::from_config: {
            const Json* found = copied(rule, facts);
            // What stands neither in the config nor in the rule is not said at all.
            if (found == nullptr && !rule.literal.is_null()) found = saved(rule, facts);
            return std::optional(found == nullptr ? rule.literal : *found);
        }
        case ArgumentRule::Kind::text: {
            auto found = facts.texts.find(rule.text);
            if (found != facts.texts.end()) return std::optional(Json(found->second, 0));
            if (const Json* known = saved(rule, facts)) return std::optional(*known);
            return base::fail(ErrorKind::rule_data, base::format("{}: there is no text \"${}\"", rule.name, rule.text),
                              model.mapping().origin);
        }
        case ArgumentRule::Kind::list: {
            TRY_ASSIGN(const auto* list, list_of(rule, rule.text, model, facts));
            Json::Array items;
            for (std::int64_t value : *list) items.emplace_back(value, 0);
            return std::optional(Json(std::move(items), 0));
        }
        case ArgumentRule::Kind::letters: {
            TRY_ASSIGN(std::string letters, letters_of(rule, model, facts));
            return std::optional(Json(std::move(letters), 0));
        }
        case ArgumentRule::Kind::ratio: {
            TRY_ASSIGN(std::int64_t share, rule.expression->evaluate(lookup));
            TRY_ASSIGN(std::int64_t whole, rule.divisor->evaluate(lookup));
            return std::optional(Json(static_cast<double>(share) / static_cast<double>(whole), 0));
        }
        case ArgumentRule::Kind::integer:
        case ArgumentRule::Kind::boolean: break;
    }
    TRY_ASSIGN(std::int64_t value, rule.expression->evaluate(lookup));
    return std::optional(rule.kind == ArgumentRule::Kind::integer ? Json(value, 0) : Json(value != 0, 0));
}

// A word of a shell command; quoted when the shell would read it otherwise.
std::string shell_word(const std::string& text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%|()*";
    constexpr std::string_view kSpecial = "|()*";
    if (text.starts_with(kCheckpointDir)) return base::format("\"{}\"", text);
    bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                 text.find_first_of(kSpecial) == std::string::npos;
    if (plain) return text;
    std::string out = "'";
    for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string flag_words(const Json& value) {
    if (const auto* integer = value.integer()) return base::format(" {}", *integer);
    if (const auto* large = std::get_if<std::uint64_t>(&value.value())) return base::format(" {}", *large);
    if (const auto* real = value.real()) return base::format(" {}", *real);
    if (const auto* text = value.string()) return " " + shell_word(*text);
    std::string out;
    if (const auto* items = value.array()) {
        for (const Json& item : *items) out += flag_words(item);
    }
    return out;
}

}  // namespace

Result<Json> checkpoint_arguments(const Model& model, const ArgumentFacts& facts) {
    Json::Object out;
    if (facts.saved != nullptr && facts.saved->object() != nullptr) out = *facts.saved->object();
    for (const ArgumentRule& rule : model.mapping().args) {
        TRY_ASSIGN(auto value, value_of(rule, model, facts));
        auto same = std::find_if(out.begin(), out.end(), [&](const auto& member) { return member.first == rule.name; });
        if (!value) {
            if (same != out.end()) out.erase(same);
        } else if (same == out.end()) {
            out.emplace_back(rule.name, std::move(*value));
        } else if (rule.kind != ArgumentRule::Kind::literal || rule.when.has_value()) {
            // A literal is what the family has in general; a training run may have been told otherwise.
            same->second = std::move(*value);
        }
    }
    return Json(std::move(out), 0);
}

Result<std::vector<std::string>> training_flags(const Model& model, const ArgumentFacts& facts) {
    std::vector<std::string> out;
    for (const ArgumentRule& rule : model.mapping().flags) {
        TRY_ASSIGN(auto value, value_of(rule, model, facts));
        if (!value || value->is_null()) continue;
        const bool* on = value->boolean();
        if (on == nullptr) out.push_back(rule.name + flag_words(*value));
        else if (*on) out.push_back(rule.name);
    }
    return out;
}

}  // namespace ckpt
