#include "ckpt_convert/job/shape_rules.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

// Works out the sizes of one model.
class ShapeMaker {
public:
    ShapeMaker(const Model& model, const TrainedAs& trained, const ShapeRules& rules)
        : model_(model), trained_(trained), rules_(rules) {}

    Result<ModelShape> make() && {
        shape_.family = model_.mapping().family;
        TRY(whole_model());
        const std::uint32_t layers = model_.layers();
        for (std::uint32_t number = 0; number < layers; ++number) {
            TRY_ASSIGN(LayerShape layer, layer_shape(number));
            shape_.layers.push_back(kind_of(layer));
        }
        shape_.mtp = model_.mtp_layers();
        if (shape_.mtp > 0) {
            TRY_ASSIGN(shape_.mtp_layer, layer_shape(layers));
        }
        shape_.final_norm = once();
        for (const Unverified& row : rules_.unverified)
            if (has_any(row.weights)) shape_.unverified.push_back(row.because);
        return std::move(shape_);
    }

private:
    Status whole_model() {
        const Expression::Lookup values = lookup(model_.values());
        const auto set = [&](std::string_view name, std::int64_t& out) -> Status {
            TRY_ASSIGN(out, size(rules_.sizes, name, values));
            return {};
        };
        TRY(set("hidden", shape_.hidden));
        TRY(set("vocab", shape_.vocab));
        TRY(set("topk", shape_.moe.topk));
        TRY(set("moe_ffn", shape_.moe.ffn));
        TRY(set("shared_ffn", shape_.moe.shared_ffn));
        TRY(set("q_rank", shape_.latent.q_rank));
        TRY(set("kv_rank", shape_.latent.kv_rank));
        TRY(set("nope_dim", shape_.latent.nope_dim));
        TRY(set("rope_dim", shape_.latent.rope_dim));
        TRY(set("mamba_inner", shape_.mamba.inner));
        TRY(set("mamba_heads", shape_.mamba.heads));
        TRY(set("mamba_groups", shape_.mamba.groups));
        TRY(set("mamba_state", shape_.mamba.state));
        TRY(set("mamba_conv", shape_.mamba.conv));
        shape_.moe.experts = model_.experts();
        shape_.tied = !has("head", 0);
        shape_.gated = marked("gate");
        shape_.rms_norm = !marked("norm_bias");
        shape_.linear_bias = marked("linear_bias");
        shape_.qkv_bias = marked("qkv_bias");
        shape_.qk_norm = marked("qk_norm");
        if (marked("positions")) TRY(set("positions", shape_.positions));
        return {};
    }

    Result<LayerShape> layer_shape(std::uint32_t number) const {
        LayerShape out;
        const auto marked_here = [&](std::string_view mark) { return has_mark(mark, number); };
        out.attention = marked_here("latent")    ? Attention::latent
                        : marked_here("linear")  ? Attention::linear
                        : marked_here("grouped") ? Attention::grouped
                                                 : Attention::none;
        out.mamba = marked_here("mamba");
        out.feed_forward = marked_here("experts") ? FeedForward::experts
                           : marked_here("dense") ? FeedForward::dense
                                                  : FeedForward::none;
        const Expression::Lookup values = lookup_of_layer(number);
        const std::string of = out.attention == Attention::none     ? ""
                               : out.attention == Attention::latent ? "latent_"
                               : out.attention == Attention::linear ? "linear_"
                                                                    : "grouped_";
        if (!of.empty()) {
            TRY_ASSIGN(out.heads, size(rules_.layer_sizes, of + "heads", values));
            TRY_ASSIGN(out.kv_heads, size(rules_.layer_sizes, of + "kv_heads", values));
            TRY_ASSIGN(out.head_dim, size(rules_.layer_sizes, of + "head_dim", values));
            TRY_ASSIGN(out.value_dim, size(rules_.layer_sizes, of + "value_dim", values));
        }
        if (marked_here("dense")) {
            TRY_ASSIGN(out.ffn, size(rules_.layer_sizes, "ffn", values));
        }
        out.parameters = parameters_of(number);
        return out;
    }

    std::uint16_t kind_of(const LayerShape& layer) {
        auto known = std::find(shape_.kinds.begin(), shape_.kinds.end(), layer);
        if (known == shape_.kinds.end()) known = shape_.kinds.insert(known, layer);
        return static_cast<std::uint16_t>(known - shape_.kinds.begin());
    }

    ParameterCounts parameters_of(std::uint32_t layer) const {
        ParameterCounts out;
        for (const WeightRule& rule : model_.mapping().weights)
            if (rule.each != Each::model) add(rule, layer, out);
        return out;
    }

    // What stands once, but for the tables that stages hold by rules of their own.
    ParameterCounts once() const {
        ParameterCounts out;
        const auto tables = rules_.marks.find("tables");
        for (const WeightRule& rule : model_.mapping().weights) {
            const bool is_table = tables != rules_.marks.end() && base::contains(tables->second, rule.name);
            if (rule.each == Each::model && !is_table) add(rule, 0, out);
        }
        return out;
    }

    void add(const WeightRule& rule, std::uint32_t layer, ParameterCounts& out) const {
        const auto number = model_.tensor(rule.name, layer);
        if (!number || model_.tensors()[*number].unused) return;
        std::int64_t elements = 1;
        for (const std::uint64_t extent : model_.tensors()[*number].shape)
            elements *= static_cast<std::int64_t>(extent);
        if (rule.each == Each::expert) out.experts += elements * model_.experts();
        else (is_sharded(rule.name) ? out.sharded : out.replicated) += elements;
    }

    bool is_sharded(const std::string& weight) const {
        bool known = false;
        for (const StoredRule& rule : model_.mapping().mcore) {
            if (!base::contains(rule.weights, weight)) continue;
            if (rule.name(trained_.dialect) == nullptr) {
                // Another dialect tells, where this one lacks the tensor.
                known |= rule.shard.has_value();
                continue;
            }
            return rule.shard.has_value();
        }
        return known;
    }

    Result<std::int64_t> size(const SizeRules& rules, std::string_view name, const Expression::Lookup& values) const {
        const auto row = rules.find(name);
        if (row == rules.end())
            return base::fail(ErrorKind::rule_data, base::format("no rule gives the size \"{}\"", name),
                              "rules/planner/shapes.json");
        for (const Expression& expression : row->second) {
            const auto& names = expression.names();
            if (std::all_of(names.begin(), names.end(),
                            [&](const std::string& word) { return values(word).has_value(); }))
                return expression.evaluate(values);
        }
        return base::fail(ErrorKind::bad_input,
                          base::format("the size \"{}\" of {} is not known", name, model_.mapping().title));
    }

    Expression::Lookup lookup_of_layer(std::uint32_t layer) const { return with_arguments(model_.lookup(layer)); }
    Expression::Lookup lookup(const ModelValues& values) const { return with_arguments(lookup_in(values)); }
    Expression::Lookup with_arguments(Expression::Lookup first) const {
        return [this, first = std::move(first)](std::string_view name) -> std::optional<std::int64_t> {
            if (auto value = first(name)) return value;
            return argument(name, first);
        };
    }

    // What a saved checkpoint says, or what the family's file says that it would.
    std::optional<std::int64_t> argument(std::string_view name, const Expression::Lookup& values) const {
        if (trained_.arguments != nullptr) {
            const Json* saved = trained_.arguments->find(name);
            if (saved != nullptr) return whole_number(*saved);
        }
        for (const ArgumentRule& rule : model_.mapping().args) {
            if (rule.name != name) continue;
            if (const auto* from = std::get_if<FromConfig>(&rule.value)) return configured(*from);
            if (const auto* computed = std::get_if<IntegerOf>(&rule.value)) {
                const auto value = computed->value.evaluate(values);
                return value ? std::optional(*value) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    std::optional<std::int64_t> configured(const FromConfig& from) const {
        for (const std::string& path : from.paths) {
            const Json* found = trained_.config == nullptr ? nullptr : trained_.config->find_path(path);
            if (found != nullptr) return whole_number(*found);
        }
        return whole_number(from.fallback);
    }

    bool has(std::string_view weight, std::uint32_t layer) const { return model_.tensor(weight, layer).has_value(); }
    bool has_mark(std::string_view mark, std::uint32_t layer) const {
        const auto row = rules_.marks.find(mark);
        if (row == rules_.marks.end()) return false;
        return std::any_of(row->second.begin(), row->second.end(),
                           [&](const std::string& weight) { return has(weight, layer); });
    }
    bool marked(std::string_view mark) const {
        const auto row = rules_.marks.find(mark);
        return row != rules_.marks.end() && has_any(row->second);
    }
    bool has_any(const std::vector<std::string>& weights) const {
        const auto& all = model_.mapping().weights;
        return std::any_of(all.begin(), all.end(), [&](const WeightRule& rule) {
            if (!base::contains(weights, rule.name)) return false;
            const std::uint32_t last = rule.each == Each::model ? 1 : model_.layers();
            for (std::uint32_t layer = 0; layer < last; ++layer)
                if (has(rule.name, layer)) return true;
            return false;
        });
    }

    const Model& model_;
    const TrainedAs& trained_;
    const ShapeRules& rules_;
    ModelShape shape_;
};

}  // namespace

Result<ShapeRules> load_shape_rules(const base::DataStore& store) {
    return base::read_rule_record<ShapeRules>(store, "rules/planner/shapes.json");
}

Result<ModelShape> shape_of(const Model& model, const TrainedAs& trained, const ShapeRules& rules) {
    return ShapeMaker(model, trained, rules).make();
}

}  // namespace ckpt
