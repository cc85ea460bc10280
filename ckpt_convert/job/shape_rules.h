// What the shape of a model follows from, by the names that mapping files give to values and weights
// (rules/planner/shapes.json).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/mapping/model.h"

namespace ckpt {

// By name of a size: expressions over the model's values and the numbers among its Megatron arguments; the first all of
// whose names have a value counts.
using SizeRules = std::map<std::string, std::vector<Expression>, std::less<>>;
// By name of a property: weights of which one suffices.
using WeightMarks = std::map<std::string, std::vector<std::string>, std::less<>>;

// Models of which nobody has published what a layer keeps.
struct Unverified {
    std::vector<std::string> weights;
    std::string because;
};
constexpr auto record_of(const Unverified*) {
    return base::record("unverified", "models of whose activations nothing is published",
                        base::field("weights", &Unverified::weights, "a model that has one of them").needed(),
                        base::field("because", &Unverified::because, "what is not known").needed());
}

struct ShapeRules : base::RuleFileHead {
    SizeRules sizes;        // of the model
    SizeRules layer_sizes;  // of each layer
    WeightMarks marks;
    std::vector<Unverified> unverified;
};
constexpr auto record_of(const ShapeRules*) {
    using base::field;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "shapes", "what the shape of a model follows from",
        field("sizes", &ShapeRules::sizes, "sizes of the model").needed(),
        field("layer_sizes", &ShapeRules::layer_sizes, "sizes of each layer").needed(),
        field("marks", &ShapeRules::marks, "weights that tell what a layer is").needed(),
        field("unverified", &ShapeRules::unverified, "models whose activations nobody has measured").needed());
}

// Fails with rule_data.
Result<ShapeRules> load_shape_rules(const base::DataStore& store);

// What a model's own file and the program that trains it add to its weights.
struct TrainedAs {
    Dialect dialect;                  // whose ranks share the weights
    const Json* config = nullptr;     // config.json
    const Json* arguments = nullptr;  // of a Megatron checkpoint
};

// Fails with bad_input where a size that is needed has no value.
Result<ModelShape> shape_of(const Model& model, const TrainedAs& trained, const ShapeRules& rules);

}  // namespace ckpt
