#include "ckpt_convert/mapping/model.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {
namespace {

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

// False without a condition, other than holds().
Result<bool> is_set(const std::optional<Expression>& condition, const Expression::Lookup& lookup) {
    if (!condition) return false;
    return holds(condition, lookup);
}

}  // namespace

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
    TRY_ASSIGN(model.layers_apart_, is_set(mapping.layers_apart, lookup_in(model.values_)));
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
        // Some lists go on for the layers for multi-token prediction.
        if (listed->second.size() != layers_ + mtp_layers_) listed->second.resize(layers_);
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
        TRY_ASSIGN(bool unused, is_set(rule.unused, values));
        LogicalTensor tensor{rule.name, std::move(shape), rule.cast, rule.buffer, unused};
        if (rule.each == Each::expert && tensors_.size() + experts_ > kMaxTensors)
            return base::fail(ErrorKind::bad_input,
                              base::format("a model of {} layers with {} experts each is not plausible{}", layers_,
                                           experts_, origin_of(*mapping_, {"layers", "experts"})));
        if (rule.each != Each::model) tensor.name = base::format("layers.{}.{}", layer, rule.name);
        if (rule.each != Each::expert) tensors_.push_back(std::move(tensor));
        for (std::uint32_t expert = 0; rule.each == Each::expert && expert < experts_; ++expert) {
            tensors_.push_back(tensor);
            tensors_.back().name += base::format(".{}", expert);
        }
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
