#include "ckpt_convert/plan/arguments.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/shell_word.h"

namespace ckpt {
namespace {

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

// The expression that the value is computed by; nullptr when it is not.
const Expression* computed_by(const ArgumentValue& value) {
    if (const auto* integer = std::get_if<IntegerOf>(&value)) return &integer->value;
    if (const auto* flag = std::get_if<SwitchOf>(&value)) return &flag->value;
    if (const auto* ratio = std::get_if<RatioOf>(&value)) return &ratio->part;
    return nullptr;
}

// True when a conversion may change what the rule says: it speaks of the layout, of sizes that options reduce, or of
// the conversion itself.
bool changes(const ArgumentRule& rule, const ArgumentFacts& facts) {
    const Expression* computed = computed_by(rule.value);
    const bool stays = std::holds_alternative<Json>(rule.value) || std::holds_alternative<FromConfig>(rule.value);
    if (computed == nullptr && !stays) return true;
    std::vector<std::string> names;
    if (computed != nullptr) names = computed->names();
    if (computed != nullptr && names.empty()) return true;
    if (rule.when) names.insert(names.end(), rule.when->names().begin(), rule.when->names().end());
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return facts.numbers.contains(name) || name == "vocab" || name == "layers";
    });
}

// The value of a rule, by the form that it has.
class ValueOf {
public:
    ValueOf(const ArgumentRule& rule, const Model& model, const ArgumentFacts& facts)
        : rule_(rule), model_(model), facts_(facts), lookup_(lookup_in(model.values(), facts.numbers)) {}

    // nullopt when the condition does not hold and there is no other value.
    Result<std::optional<Json>> value() const {
        // Without a config the arguments of the source know the model best.
        const Json* known = saved(rule_, facts_);
        if (known != nullptr && facts_.config == nullptr && !changes(rule_, facts_)) return std::optional(*known);
        TRY_ASSIGN(bool present, holds(rule_.when, lookup_));
        if (!present) return rule_.otherwise;
        TRY_ASSIGN(Json found, std::visit(*this, rule_.value));
        return std::optional(std::move(found));
    }

    Result<Json> operator()(const Json& literal) const { return literal; }
    Result<Json> operator()(const IntegerOf& integer) const {
        TRY_ASSIGN(std::int64_t number, integer.value.evaluate(lookup_));
        return Json(number, 0);
    }
    Result<Json> operator()(const SwitchOf& flag) const {
        TRY_ASSIGN(std::int64_t number, flag.value.evaluate(lookup_));
        return Json(number != 0, 0);
    }
    Result<Json> operator()(const RatioOf& ratio) const {
        TRY_ASSIGN(std::int64_t part, ratio.part.evaluate(lookup_));
        TRY_ASSIGN(std::int64_t whole, ratio.whole.evaluate(lookup_));
        return Json(static_cast<double>(part) / static_cast<double>(whole), 0);
    }
    Result<Json> operator()(const TextOf& text) const {
        auto found = facts_.texts.find(text.fact);
        if (found != facts_.texts.end()) return Json(found->second, 0);
        if (const Json* known = saved(rule_, facts_)) return *known;
        return wrong(base::format("there is no text \"${}\"", text.fact));
    }
    Result<Json> operator()(const ListOf& list) const {
        TRY_ASSIGN(const auto* values, by_layer(list.value));
        Json::Array items;
        for (std::int64_t value : *values) items.emplace_back(value, 0);
        return Json(std::move(items), 0);
    }
    Result<Json> operator()(const LettersOf& letters) const {
        std::vector<std::string> out;
        for (const auto& [letter, value] : letters.values) {
            TRY_ASSIGN(const auto* list, by_layer(value));
            out.resize(list->size());
            for (std::size_t layer = 0; layer < list->size(); ++layer) {
                if ((*list)[layer] != 0) out[layer] = letter;
            }
        }
        return Json(base::joined(out, ""), 0);
    }
    Result<Json> operator()(const FromConfig& from) const {
        for (const std::string& path : from.paths) {
            const Json* found = facts_.config == nullptr ? nullptr : facts_.config->find_path(path);
            if (found == nullptr || found->is_null()) continue;
            const auto whole = from.whole ? whole_number(*found) : std::nullopt;
            return whole ? Json(*whole, found->offset()) : *found;
        }
        // What stands neither in the config nor in the rule is not said at all.
        const Json* known = from.fallback.is_null() ? nullptr : saved(rule_, facts_);
        return known == nullptr ? from.fallback : *known;
    }

private:
    Result<const std::vector<std::int64_t>*> by_layer(const std::string& value) const {
        auto found = facts_.lists.find(value);
        if (found != facts_.lists.end()) return &found->second;
        return wrong(base::format("\"{}\" is not a value of each layer", value));
    }

    tl::unexpected<base::Error> wrong(const std::string& problem) const {
        return base::fail(ErrorKind::rule_data, base::format("{}: {}", rule_.name, problem), model_.mapping().origin);
    }

    const ArgumentRule& rule_;
    const Model& model_;
    const ArgumentFacts& facts_;
    Expression::Lookup lookup_;
};

// A directory of the run is a variable of its scripts.
std::string flag_word(const std::string& text) {
    return text.starts_with(kCheckpointDir) ? base::format("\"{}\"", text) : base::shell_word(text);
}

void add_flag_words(const Json& value, std::vector<std::string>& out) {
    if (const auto* integer = value.integer()) return out.push_back(base::format("{}", *integer));
    if (const auto* large = std::get_if<std::uint64_t>(&value.value()))
        return out.push_back(base::format("{}", *large));
    if (const auto* real = value.real()) return out.push_back(base::format("{}", *real));
    if (const auto* text = value.string()) return out.push_back(*text);
    if (const auto* items = value.array()) {
        for (const Json& item : *items) add_flag_words(item, out);
    }
}

TrainingFlag flag_of(const ArgumentRule& rule, const std::optional<Json>& value) {
    TrainingFlag out{rule.name, TrainingFlag::Use::absent, {}};
    if (!value || value->is_null()) return out;
    const bool* on = value->boolean();
    out.use = on == nullptr || *on ? TrainingFlag::Use::given : TrainingFlag::Use::off;
    if (on == nullptr) add_flag_words(*value, out.values);
    // The programs take a list of a configuration as one word.
    const bool is_one_word = std::holds_alternative<FromConfig>(rule.value) && value->array() != nullptr;
    if (is_one_word) out.values = {base::joined(out.values, ",")};
    return out;
}

}  // namespace

Result<Json> checkpoint_arguments(const Model& model, const ArgumentFacts& facts) {
    Json::Object out;
    if (facts.saved != nullptr && facts.saved->object() != nullptr) out = *facts.saved->object();
    for (const ArgumentRule& rule : model.mapping().args) {
        TRY_ASSIGN(auto value, ValueOf(rule, model, facts).value());
        auto same = std::find_if(out.begin(), out.end(), [&](const auto& member) { return member.first == rule.name; });
        if (!value) {
            if (same != out.end()) out.erase(same);
        } else if (same == out.end()) {
            out.emplace_back(rule.name, std::move(*value));
        } else if (!rule.is_literal()) {
            // A literal is what the family has in general; a training run may have been told otherwise.
            same->second = std::move(*value);
        }
    }
    return Json(std::move(out), 0);
}

Result<std::vector<TrainingFlag>> all_training_flags(const Model& model, const ArgumentFacts& facts) {
    std::vector<TrainingFlag> out;
    for (const ArgumentRule& rule : model.mapping().flags) {
        TRY_ASSIGN(auto value, ValueOf(rule, model, facts).value());
        out.push_back(flag_of(rule, value));
    }
    return out;
}

std::string flag_text(const TrainingFlag& flag) {
    std::string out = flag.name;
    for (const std::string& word : flag.values) out += " " + flag_word(word);
    return out;
}

Result<std::vector<std::string>> training_flags(const Model& model, const ArgumentFacts& facts) {
    TRY_ASSIGN(const std::vector<TrainingFlag> flags, all_training_flags(model, facts));
    std::vector<std::string> out;
    for (const TrainingFlag& flag : flags) {
        if (flag.use == TrainingFlag::Use::given) out.push_back(flag_text(flag));
    }
    return out;
}

}  // namespace ckpt
