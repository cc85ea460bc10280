#include "ckpt_convert/mapping/model_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/mapping/given_values.h"

namespace ckpt {
namespace {

constexpr std::string_view kLayers = "layers";

struct Source {
    const ModelMapping* mapping;
    const Json* root;
    std::string where;
    bool is_config;
    const Json* defaults = nullptr;  // of keys that the config does not have, by their name
};

// What a "*" in a path leads into: items of lists alone, or of objects too, whose order says nothing.
enum class Items { of_lists, of_objects };

// What stands at a path. Behind a "*" it is a list: of what stands there in each item, null where nothing does. A text on the
// way is read as JSON.
std::optional<Json> value_at(const Json& root, std::string_view path, Items items_of) {
    constexpr std::string_view kItems = ".*.";
    std::string_view first = path.substr(0, path.find('.'));
    if (const Json* text = root.find(first); text != nullptr && text->string() != nullptr && first != path) {
        auto document = base::parse_json(*text->string(), std::string(first), base::kPythonJson);
        return document ? value_at(document->root, path.substr(first.size() + 1), items_of) : std::nullopt;
    }
    std::size_t items = path.find(kItems);
    const Json* found = root.find_path(path.substr(0, items));
    if (found == nullptr || found->is_null()) return std::nullopt;
    if (items == std::string_view::npos) return *found;
    Json::Array list;
    auto add = [&](const Json& item) {
        list.push_back(value_at(item, path.substr(items + kItems.size()), items_of).value_or(Json()));
    };
    if (found->array() != nullptr) {
        for (const Json& item : *found->array()) add(item);
    } else if (found->object() != nullptr && items_of == Items::of_objects) {
        for (const auto& [key, item] : *found->object()) add(item);
    } else {
        return std::nullopt;
    }
    return Json(std::move(list), found->offset());
}

// Whether config.json may say true or false: the value's default is one of them, or is another value that may be.
bool is_switch(const ValueRule& rule, const ModelMapping& mapping) {
    const auto* at = &rule;
    for (std::size_t steps = 0; at->fallback && steps < mapping.values.size(); ++steps) {
        if (at->fallback->is_truth()) return true;
        const auto& values = mapping.values;
        const auto next = std::find_if(values.begin(), values.end(),
                                       [&](const ValueRule& other) { return other.name == at->fallback->text(); });
        if (next == values.end()) return false;
        at = &*next;
    }
    return false;
}

// Of a config: sizes are never switches, and only what is below 0 where nothing is said may be so.
bool is_answer(const ValueRule& rule, const Json& json, const ModelMapping& mapping) {
    if (json.boolean() != nullptr) return is_switch(rule, mapping);
    const bool is_negative =
        json.integer() != nullptr ? *json.integer() < 0 : json.real() != nullptr && *json.real() < 0;
    if (!is_negative) return true;
    const auto usual = rule.fallback ? rule.fallback->evaluate([](std::string_view) { return std::nullopt; }) : 0;
    return usual && *usual < 0;
}

std::optional<std::int64_t> scaled_number(const ValueRule& rule, const Json& json, const Source& source) {
    constexpr double kLargest = 9e15;
    if (source.is_config && !is_answer(rule, json, *source.mapping)) return std::nullopt;
    const double* real = json.real();
    auto whole = whole_number(json);
    if (rule.times == 1 || (real == nullptr && !whole)) return whole;
    double product = (real != nullptr ? *real : static_cast<double>(*whole)) * static_cast<double>(rule.times);
    if (!(std::abs(product) < kLargest)) return std::nullopt;
    return std::llround(product);
}

// A number, or the one that a list has for every layer that it says anything of.
std::optional<std::int64_t> number_of_all(const ValueRule& rule, const Json& json, const Source& source) {
    if (json.array() == nullptr) return scaled_number(rule, json, source);
    std::optional<std::int64_t> number;
    for (const Json& item : *json.array()) {
        if (item.is_null()) continue;
        auto one = scaled_number(rule, item, source);
        if (!one || rule.first) return one;
        if (number && *number != *one) return std::nullopt;
        number = one;
    }
    return number;
}

// Whether it is a list with nothing for any layer.
bool says_nothing(const Json& json) {
    const auto* list = json.array();
    return list != nullptr && std::all_of(list->begin(), list->end(), [](const Json& item) { return item.is_null(); });
}

// Of a rule that counts, how long a list or a text is; of one with texts, whether the config has one of them there; else the number.
std::optional<std::int64_t> number_in(const ValueRule& rule, const Json& json, const Source& source) {
    if (rule.count && json.array() != nullptr) return static_cast<std::int64_t>(json.array()->size());
    if (rule.count && json.string() != nullptr) return static_cast<std::int64_t>(json.string()->size());
    if (rule.is.empty() || !source.is_config) return number_of_all(rule, json, source);
    return json.string() != nullptr && std::find(rule.is.begin(), rule.is.end(), *json.string()) != rule.is.end();
}

// False when another argument says that this one does not apply.
bool argument_counts(const ValueRule& rule, const std::string& argument, const Json& args) {
    auto needs = rule.argument_needs.find(argument);
    const Json* needed = needs == rule.argument_needs.end() ? nullptr : args.find(needs->second);
    return needed == nullptr || needed->boolean() == nullptr || *needed->boolean();
}

// The number of the layers is no list of one for each of them.
bool must_be_one_number(const ValueRule& rule, std::string_view path, const Json& json) {
    return json.array() != nullptr && rule.name == kLayers && !rule.count && path.find('*') == std::string_view::npos;
}

// What the config's class takes when the config has none of the keys. A null is not none: it says that there is no number.
std::optional<std::int64_t> class_default(const ValueRule& rule, const Source& source) {
    if (source.defaults == nullptr) return std::nullopt;
    for (const std::string& path : rule.config) {
        if (source.root->find_path(path) != nullptr) return std::nullopt;
    }
    for (const std::string& path : rule.config) {
        const Json* found = source.defaults->find(path);
        if (found != nullptr) return number_in(rule, *found, source);
    }
    return std::nullopt;
}

Result<std::optional<std::int64_t>> read_value(const ValueRule& rule, const Source& source) {
    for (const std::string& path : source.is_config ? rule.config : rule.arguments) {
        if (!source.is_config && !argument_counts(rule, path, *source.root)) continue;
        auto found = value_at(*source.root, path, Items::of_objects);
        if (!found || (!rule.count && says_nothing(*found))) continue;
        // What training can be told of all layers or of each: the list is read by a rule of its own.
        if (!source.is_config && found->array() != nullptr && !rule.first) continue;
        const bool one_number = source.is_config && must_be_one_number(rule, path, *found);
        auto value = one_number ? std::nullopt : number_in(rule, *found, source);
        if (!value)
            return base::fail(ErrorKind::bad_input,
                              base::format("\"{}\" must be a whole number, not {}", path,
                                           found->array() == nullptr ? shown_value(*found)
                                           : one_number              ? "a list"
                                                                     : "a list of different ones"),
                              source.where);
        bool negate = !source.is_config && rule.argument_negated;
        return std::optional<std::int64_t>(negate ? *value == 0 : *value);
    }
    return class_default(rule, source);
}

// Works the values of a mapping out. The order of the rules says nothing: a family may redefine a value that comes
// early in a block by one that it adds itself.
class ValueReader {
public:
    ValueReader(const ModelMapping& mapping, const Source& source) : mapping_(mapping), source_(source) {}

    Result<ModelValues> read() {
        std::vector<const ValueRule*> open;  // whose default needs values that come later
        for (const ValueRule& rule : mapping_.values) {
            if (rule.each == Each::layer) continue;
            TRY_ASSIGN(auto value, read_value(rule, source_));
            if (value) values_[rule.name] = *value;
            else if (!rule.fallback) return missing(rule);
            else if (is_ready(rule)) TRY(compute(rule));
            else open.push_back(&rule);
        }
        while (!open.empty()) {
            auto next = std::find_if(open.begin(), open.end(), [&](const ValueRule* rule) { return is_ready(*rule); });
            if (next == open.end()) next = open.begin();  // they need each other; the evaluation says so
            TRY(compute(**next));
            open.erase(next);
        }
        for (const ValueRule& rule : mapping_.values) {
            if (rule.each == Each::layer) TRY(read_list(rule));
        }
        return std::move(values_);
    }

private:
    // A list with a value for each layer, a text with a letter for each, or a list of the layers for which it is 1.
    Status read_list(const ValueRule& rule) {
        for (const std::string& path : source_.is_config ? rule.config : rule.arguments) {
            auto found = value_at(*source_.root, path, Items::of_lists);
            if (!found || (found->array() == nullptr && found->string() == nullptr)) continue;
            auto& list = values_.by_layer[rule.name];
            if (const std::string* letters = found->string()) {
                for (char letter : *letters) list.push_back(base::contains(rule.is, std::string(1, letter)));
                return {};
            }
            for (const Json& item : *found->array()) {
                auto value = item.is_null() ? 0 : number_in(rule, item, source_);
                if (!value) return wrong_item(path, item);
                list.push_back(*value);
            }
            return {};
        }
        auto layers = values_.find(kLayers);
        if (!source_.is_config || layers == values_.end() || layers->second < 1 || layers->second > kMaxLayers)
            return {};
        for (const std::string& path : rule.listed) {
            const Json* found = source_.root->find_path(path);
            std::optional<Json::Array> numbers = found == nullptr ? std::nullopt : items_of(*found);
            if (!numbers) continue;
            auto& list = values_.by_layer[rule.name];
            list.assign(static_cast<std::size_t>(layers->second), 0);
            const std::int64_t first = rule.listed_from.value_or(0);
            for (const Json& item : *numbers) {
                auto layer = whole_number(item);
                if (!layer || *layer < first || *layer - first >= layers->second) return wrong_item(path, item);
                list[static_cast<std::size_t>(*layer - first)] = 1;
            }
            return {};
        }
        return {};
    }

    // A list, or a text with commas: "3,4,5". What is no number there stays a text.
    static std::optional<Json::Array> items_of(const Json& json) {
        if (json.array() != nullptr) return *json.array();
        if (json.string() == nullptr) return std::nullopt;
        Json::Array out;
        for (std::string_view word : base::split(*json.string(), ',')) {
            std::int64_t number = 0;
            auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
            bool whole = code == std::errc() && end == word.data() + word.size();
            out.push_back(whole ? Json(number, json.offset()) : Json(std::string(word), json.offset()));
        }
        return out;
    }

    tl::unexpected<base::Error> wrong_item(const std::string& path, const Json& item) const {
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}\" must be a list of whole numbers for the model's layers, and has {}",
                                       path, shown_value(item)),
                          source_.where);
    }

    bool is_ready(const ValueRule& rule) const {
        const auto& names = rule.fallback->names();
        return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return values_.contains(name); });
    }

    Status compute(const ValueRule& rule) {
        auto computed = rule.fallback->evaluate(lookup_in(values_));
        if (!computed)
            return base::fail(ErrorKind::bad_input, base::format("{}: {}", rule.name, computed.error().message),
                              source_.where);
        values_[rule.name] = *computed;
        return {};
    }

    tl::unexpected<base::Error> missing(const ValueRule& rule) const {
        const auto& names = source_.is_config ? rule.config : rule.arguments;
        std::string what = names.empty() ? base::format("the value {}", rule.name)
                                         : base::format("\"{}\"", base::joined(names, "\" or \""));
        return base::fail(ErrorKind::bad_input,
                          base::format("{} is missing; the {} model needs it", what, mapping_.family), source_.where);
    }

    const ModelMapping& mapping_;
    const Source& source_;
    ModelValues values_;
};

}  // namespace

std::optional<std::int64_t> whole_number(const Json& json) {
    if (const auto* integer = json.integer()) return *integer;
    if (const auto* flag = json.boolean()) return *flag ? 1 : 0;
    if (const auto* real = json.real(); real != nullptr && *real == std::floor(*real) && std::abs(*real) < 9e15) {
        return static_cast<std::int64_t>(*real);
    }
    return std::nullopt;
}

Result<ModelValues> values_from_config(const ModelMapping& mapping, const JsonDocument& config) {
    const Json* type = config.root.find("model_type");
    bool named = type != nullptr && type->string() != nullptr;
    TRY(check_given(mapping.args, config));
    TRY(check_given(mapping.flags, config));
    auto defaults = mapping.config_defaults.find(named ? *type->string() : "");
    return ValueReader(mapping, {&mapping, &config.root, config.name, true,
                                 defaults == mapping.config_defaults.end() ? nullptr : &defaults->second})
        .read();
}

Result<ModelValues> values_from_arguments(const ModelMapping& mapping, const Json& args, const std::string& where) {
    return ValueReader(mapping, {&mapping, &args, where + ": saved arguments", false}).read();
}

Result<std::optional<std::int64_t>> value_from_arguments(const ValueRule& rule, const Json& args,
                                                         const ModelValues& values, const std::string& where) {
    TRY_ASSIGN(auto said, read_value(rule, {nullptr, &args, where + ": saved arguments", false}));
    bool all_count = std::all_of(rule.arguments.begin(), rule.arguments.end(),
                                 [&](const std::string& argument) { return argument_counts(rule, argument, args); });
    if (said || all_count || !rule.fallback) return said;
    TRY_ASSIGN(std::int64_t value, rule.fallback->evaluate(lookup_in(values)));
    return std::optional(value);
}

Expression::Lookup lookup_in(const ModelValues& values, const ModelValues& extra) {
    return [&values, extra](std::string_view name) -> std::optional<std::int64_t> {
        if (auto found = extra.find(name); found != extra.end()) return found->second;
        if (auto found = values.find(name); found != values.end()) return found->second;
        return std::nullopt;
    };
}

std::string with_numbers(std::string_view text, const std::map<std::string, std::int64_t, std::less<>>& numbers) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('{', at), text.size());
        out += text.substr(at, open - at);
        if (open == text.size()) break;
        const std::size_t close = text.find('}', open);
        if (close == text.npos) return out + std::string(text.substr(open));
        const auto found = numbers.find(text.substr(open + 1, close - open - 1));
        if (found == numbers.end()) return {};
        out += base::format("{}", found->second);
        at = close + 1;
    }
    return out;
}

Result<bool> holds(const std::optional<Expression>& condition, const Expression::Lookup& lookup) {
    if (!condition) return true;
    TRY_ASSIGN(std::int64_t value, condition->evaluate(lookup));
    return value != 0;
}

}  // namespace ckpt
