#include "ckpt_convert/mapping/model.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::Result;
using base::Status;

// Largest number of layers accepted from a config; keeps a corrupt one from using all memory.
constexpr std::int64_t kMaxLayers = 100'000;
constexpr std::int64_t kMaxExperts = 100'000;
constexpr std::size_t kMaxTensors = 20'000'000;

// " (from num_hidden_layers)": where the values that a message speaks of stand in config.json.
std::string origin_of(const ModelMapping& mapping, const std::vector<std::string>& values) {
    std::vector<std::string> keys;
    for (const ValueRule& rule : mapping.values) {
        bool named = std::find(values.begin(), values.end(), rule.name) != values.end();
        if (named && !rule.config.empty()) keys.push_back(rule.config.front());
    }
    return keys.empty() ? "" : base::format(" (from {})", base::joined(keys, ", "));
}

std::vector<std::string> names_in(const std::vector<Expression>& expressions) {
    std::vector<std::string> out;
    for (const Expression& expression : expressions)
        out.insert(out.end(), expression.names().begin(), expression.names().end());
    return out;
}

struct Source {
    const Json* root;
    std::string where;
    bool is_config;
};

// What stands at a path. Behind a "*" it is a list: of what stands there in each item, null where nothing does. A text on the
// way is read as JSON.
std::optional<Json> value_at(const Json& root, std::string_view path) {
    constexpr std::string_view kItems = ".*.";
    std::string_view first = path.substr(0, path.find('.'));
    if (const Json* text = root.find(first); text != nullptr && text->string() != nullptr && first != path) {
        auto document = base::parse_json(*text->string(), std::string(first));
        return document ? value_at(document->root, path.substr(first.size() + 1)) : std::nullopt;
    }
    std::size_t items = path.find(kItems);
    const Json* found = root.find_path(path.substr(0, items));
    if (found == nullptr || found->is_null()) return std::nullopt;
    if (items == std::string_view::npos) return *found;
    if (found->array() == nullptr) return std::nullopt;
    Json::Array list;
    for (const Json& item : *found->array())
        list.push_back(value_at(item, path.substr(items + kItems.size())).value_or(Json()));
    return Json(std::move(list), found->offset());
}

std::optional<std::int64_t> scaled_number(const ValueRule& rule, const Json& json) {
    constexpr double kLargest = 9e15;
    const double* real = json.real();
    auto whole = whole_number(json);
    if (rule.times == 1 || (real == nullptr && !whole)) return whole;
    double product = (real != nullptr ? *real : static_cast<double>(*whole)) * static_cast<double>(rule.times);
    if (!(std::abs(product) < kLargest)) return std::nullopt;
    return std::llround(product);
}

// A number, or the one that a list has for every layer that it says anything of.
std::optional<std::int64_t> number_of_all(const ValueRule& rule, const Json& json) {
    if (json.array() == nullptr) return scaled_number(rule, json);
    std::optional<std::int64_t> number;
    for (const Json& item : *json.array()) {
        if (item.is_null()) continue;
        auto one = scaled_number(rule, item);
        if (!one || rule.first) return one;
        if (number && *number != *one) return std::nullopt;
        number = one;
    }
    return number;
}

// Of a rule that counts, how long a list or a text is; of one with texts, whether the config has one of them there; else the number.
std::optional<std::int64_t> number_in(const ValueRule& rule, const Json& json, bool is_config) {
    if (rule.count && json.array() != nullptr) return static_cast<std::int64_t>(json.array()->size());
    if (rule.count && json.string() != nullptr) return static_cast<std::int64_t>(json.string()->size());
    if (rule.is.empty() || !is_config) return number_of_all(rule, json);
    return json.string() != nullptr && std::find(rule.is.begin(), rule.is.end(), *json.string()) != rule.is.end();
}

// False when another argument says that the value does not apply.
bool arguments_count(const ValueRule& rule, const Json& args) {
    const Json* needed = rule.argument_needs.empty() ? nullptr : args.find(rule.argument_needs);
    return needed == nullptr || needed->boolean() == nullptr || *needed->boolean();
}

Result<std::optional<std::int64_t>> read_value(const ValueRule& rule, const Source& source) {
    if (!source.is_config && !arguments_count(rule, *source.root)) return std::optional<std::int64_t>();
    for (const std::string& path : source.is_config ? rule.config : rule.arguments) {
        auto found = value_at(*source.root, path);
        if (!found) continue;
        // What training can be told of all layers or of each: the list is read by a rule of its own.
        if (!source.is_config && found->array() != nullptr) continue;
        auto value = number_in(rule, *found, source.is_config);
        if (!value)
            return base::fail(ErrorKind::bad_input,
                              base::format("\"{}\" must be a whole number, not {}", path,
                                           found->array() != nullptr ? "a list of different ones" : found->kind_name()),
                              source.where);
        bool negate = !source.is_config && rule.argument_negated;
        return std::optional<std::int64_t>(negate ? *value == 0 : *value);
    }
    return std::optional<std::int64_t>();
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
            auto found = value_at(*source_.root, path);
            if (!found || (found->array() == nullptr && found->string() == nullptr)) continue;
            auto& list = values_.by_layer[rule.name];
            if (const std::string* letters = found->string()) {
                for (char letter : *letters) list.push_back(base::contains(rule.is, std::string(1, letter)));
                return {};
            }
            for (const Json& item : *found->array()) {
                auto value = item.is_null() ? 0 : number_in(rule, item, source_.is_config);
                if (!value) return wrong_item(path, item);
                list.push_back(*value);
            }
            return {};
        }
        auto layers = values_.find("layers");
        if (!source_.is_config || layers == values_.end() || layers->second < 1 || layers->second > kMaxLayers)
            return {};
        for (const std::string& path : rule.listed) {
            const Json* found = source_.root->find_path(path);
            if (found == nullptr || found->array() == nullptr) continue;
            auto& list = values_.by_layer[rule.name];
            list.assign(static_cast<std::size_t>(layers->second), 0);
            for (const Json& item : *found->array()) {
                auto layer = whole_number(item);
                if (!layer || *layer < 0 || *layer >= layers->second) return wrong_item(path, item);
                list[static_cast<std::size_t>(*layer)] = 1;
            }
            return {};
        }
        return {};
    }

    tl::unexpected<base::Error> wrong_item(const std::string& path, const Json& item) const {
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}\" must be a list of whole numbers for the model's layers, and has {}",
                                       path, item.integer() ? std::to_string(*item.integer()) : item.kind_name()),
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
                          base::format("{} is missing; a {} model needs it", what, mapping_.family), source_.where);
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

Result<ModelValues> values_from_config(const ModelMapping& mapping, const base::JsonDocument& config) {
    return ValueReader(mapping, {&config.root, config.name, true}).read();
}

Result<ModelValues> values_from_arguments(const ModelMapping& mapping, const Json& args, const std::string& where) {
    return ValueReader(mapping, {&args, where + ": saved arguments", false}).read();
}

Result<std::optional<std::int64_t>> value_from_arguments(const ValueRule& rule, const Json& args,
                                                         const ModelValues& values, const std::string& where) {
    if (arguments_count(rule, args) || !rule.fallback)
        return read_value(rule, {&args, where + ": saved arguments", false});
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

Result<bool> holds(const std::optional<Expression>& condition, const Expression::Lookup& lookup) {
    if (!condition) return true;
    TRY_ASSIGN(std::int64_t value, condition->evaluate(lookup));
    return value != 0;
}

Result<Model> Model::make(const ModelMapping& mapping, ModelValues values) {
    Model model;
    model.mapping_ = &mapping;
    model.values_ = std::move(values);
    for (const char* needed : {"layers", "vocab"}) {
        if (!model.values_.contains(needed))
            return base::fail(ErrorKind::rule_data, base::format("the mapping defines no value \"{}\"", needed),
                              mapping.origin);
    }
    auto layers = model.values_.find("layers");
    if (layers->second < 1 || layers->second > kMaxLayers) {
        return base::fail(ErrorKind::bad_input, base::format("a model of {} layers is not plausible{}", layers->second,
                                                             origin_of(mapping, {"layers"})));
    }
    model.layers_ = static_cast<std::uint32_t>(layers->second);
    if (auto experts = model.values_.find("experts"); experts != model.values_.end()) {
        if (experts->second < 0 || experts->second > kMaxExperts)
            return base::fail(ErrorKind::bad_input, base::format("a model of {} experts is not plausible{}",
                                                                 experts->second, origin_of(mapping, {"experts"})));
        model.experts_ = static_cast<std::uint32_t>(experts->second);
    }
    if (auto mtp = model.values_.find("mtp"); mtp != model.values_.end()) {
        if (mtp->second < 0 || mtp->second > kMaxLayers)
            return base::fail(ErrorKind::bad_input,
                              base::format("{} layers for multi-token prediction are not plausible{}", mtp->second,
                                           origin_of(mapping, {"mtp"})));
        model.mtp_layers_ = static_cast<std::uint32_t>(mtp->second);
    }
    TRY(model.work_out_layers());
    for (const WeightRule& rule : mapping.weights) TRY(model.add_weight(rule));
    return model;
}

// The values of each layer: what is listed, and defaults for the rest. A default may need others of them, in whatever order
// they come.
Status Model::work_out_layers() {
    std::vector<const ValueRule*> open;
    for (const ValueRule& rule : mapping_->values) {
        if (rule.each != Each::layer) continue;
        open.push_back(&rule);
        auto listed = values_.by_layer.find(rule.name);
        if (listed == values_.by_layer.end()) continue;
        if (listed->second.size() < layers_)
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is listed for {} of {} layers{}", rule.name, listed->second.size(),
                                           layers_, origin_of(*mapping_, {rule.name})));
        listed->second.resize(layers_);
    }
    while (!open.empty()) {
        auto waits = [&](const ValueRule* rule) {
            const auto& names = rule->fallback->names();
            return std::any_of(open.begin(), open.end(), [&](const ValueRule* other) {
                return std::find(names.begin(), names.end(), other->name) != names.end();
            });
        };
        auto next = std::find_if_not(open.begin(), open.end(), waits);
        if (next == open.end()) next = open.begin();  // they need each other; the evaluation says so
        TRY(extend(**next));
        open.erase(next);
    }
    return {};
}

// Adds the default for the layers that are missing in the list: all of them, or those for multi-token prediction.
Status Model::extend(const ValueRule& rule) {
    std::vector<std::int64_t> list = values_.by_layer[rule.name];
    for (auto layer = static_cast<std::uint32_t>(list.size()); layer < layers_ + mtp_layers_; ++layer) {
        TRY_ASSIGN(std::int64_t value, rule.fallback->evaluate(lookup(layer)));
        list.push_back(value);
    }
    values_.by_layer[rule.name] = std::move(list);
    return {};
}

Result<Shape> Model::shape_of(const WeightRule& rule, const Expression::Lookup& lookup) const {
    Shape shape;
    for (const Expression& extent : rule.shape) {
        TRY_ASSIGN(std::int64_t value, extent.evaluate(lookup));
        if (value < 1)
            return base::fail(ErrorKind::bad_input,
                              base::format("the size \"{}\" of {} is {}{}", extent.text(), rule.name, value,
                                           origin_of(*mapping_, extent.names())));
        shape.push_back(static_cast<std::uint64_t>(value));
    }
    if (!checked_elements(shape))
        return base::fail(ErrorKind::bad_input, base::format("the shape {} of {} is too large{}", to_string(shape),
                                                             rule.name, origin_of(*mapping_, names_in(rule.shape))));
    return shape;
}

Status Model::add_weight(const WeightRule& rule) {
    Slot slot{rule.each, {}};
    for (std::uint32_t layer = 0; layer < (rule.each == Each::model ? 1 : layers_ + mtp_layers_); ++layer) {
        auto values = rule.each == Each::model ? lookup_in(values_) : lookup(layer);
        TRY_ASSIGN(bool present, holds(rule.when, values));
        slot.first.push_back(present ? static_cast<std::uint32_t>(tensors_.size()) : kAbsent);
        if (!present) continue;
        TRY_ASSIGN(Shape shape, shape_of(rule, values));
        if (rule.each == Each::expert && tensors_.size() + experts_ > kMaxTensors)
            return base::fail(ErrorKind::bad_input,
                              base::format("a model of {} layers with {} experts each is not plausible{}", layers_,
                                           experts_, origin_of(*mapping_, {"layers", "experts"})));
        if (rule.each == Each::model) tensors_.push_back({rule.name, shape, rule.cast, rule.buffer});
        if (rule.each == Each::layer)
            tensors_.push_back({base::format("layers.{}.{}", layer, rule.name), shape, rule.cast, rule.buffer});
        for (std::uint32_t expert = 0; rule.each == Each::expert && expert < experts_; ++expert)
            tensors_.push_back(
                {base::format("layers.{}.{}.{}", layer, rule.name, expert), shape, rule.cast, rule.buffer});
    }
    slots_[rule.name] = std::move(slot);
    return {};
}

Expression::Lookup Model::lookup(std::uint32_t layer, const ModelValues& extra) const {
    return [this, layer, in_all = lookup_in(values_, extra)](std::string_view name) -> std::optional<std::int64_t> {
        if (name == "layer") return layer;
        if (name == "mtp_layer") return layer >= layers_;
        auto found = values_.by_layer.find(name);
        if (found != values_.by_layer.end() && layer < found->second.size()) return found->second[layer];
        return in_all(name);
    };
}

std::optional<std::uint32_t> Model::tensor(std::string_view weight, std::uint32_t layer, std::uint32_t expert) const {
    auto found = slots_.find(weight);
    if (found == slots_.end()) return std::nullopt;
    std::uint32_t first = found->second.first[found->second.each == Each::model ? 0 : layer];
    if (first == kAbsent) return std::nullopt;
    return first + (found->second.each == Each::expert ? expert : 0);
}

Model Model::with_tensors(std::vector<LogicalTensor> tensors) const {
    Model out = *this;
    out.tensors_ = std::move(tensors);
    out.slots_.clear();
    return out;
}

std::uint64_t Model::parameters() const {
    std::uint64_t sum = 0;
    for (const auto& tensor : tensors_) sum += checked_elements(tensor.shape).value_or(0);
    return sum;
}

}  // namespace ckpt
