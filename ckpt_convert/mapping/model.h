// Model: a family with its sizes: the list of logical tensors of one concrete model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/mapping/model_values.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// One full, unsharded weight.
struct LogicalTensor {
    std::string name;  // "layers.3.attention.q", "layers.3.experts.up.17", "embedding"
    Shape shape;
    bool cast = true;  // see WeightRule
    bool buffer = false;
    bool unused = false;
};

class Model {
public:
    static Result<Model> make(const ModelMapping& mapping, ModelValues values);
    // The same model with other tensors in place of its weights, which tensor() does not find.
    Model with_tensors(std::vector<LogicalTensor> tensors) const;

    const ModelMapping& mapping() const { return *mapping_; }
    const ModelValues& values() const { return values_; }
    std::uint32_t layers() const { return layers_; }
    // Layers for multi-token prediction, which are numbered behind the others.
    std::uint32_t mtp_layers() const { return mtp_layers_; }
    // Of each layer that has experts; 0 for a dense model.
    std::uint32_t experts() const { return experts_; }
    bool layers_apart() const { return layers_apart_; }  // see ModelMapping
    // The values that differ by layer, one number per layer each.
    const std::map<std::string, std::vector<std::int64_t>, std::less<>>& by_layer() const { return values_.by_layer; }
    // A lookup over all values of one layer, its number as "layer", and whether it is one for multi-token prediction as
    // "mtp_layer"; `extra` wins.
    Expression::Lookup lookup(std::uint32_t layer, const ModelValues& extra = {}) const;
    const std::vector<LogicalTensor>& tensors() const { return tensors_; }
    // The number of a weight's tensor; nullopt when the model does not have it (its `when` is false).
    std::optional<std::uint32_t> tensor(std::string_view weight, std::uint32_t layer, std::uint32_t expert = 0) const;
    std::uint64_t parameters() const;

private:
    Status work_out_layers();
    Status extend(const ValueRule& rule);
    Status add_weight(const WeightRule& rule);
    Result<Shape> shape_of(const WeightRule& rule, const Expression::Lookup& lookup) const;

    const ModelMapping* mapping_ = nullptr;
    ModelValues values_;
    std::uint32_t layers_ = 0;
    std::uint32_t mtp_layers_ = 0;
    std::uint32_t experts_ = 0;
    bool layers_apart_ = false;
    std::vector<LogicalTensor> tensors_;
    static constexpr std::uint32_t kAbsent = UINT32_MAX;
    struct Slot {
        Each each = Each::model;
        std::vector<std::uint32_t> first;  // by layer, or of the model: the number of its (first expert's) tensor
    };
    std::map<std::string, Slot, std::less<>> slots_;  // by weight
};

}  // namespace ckpt
