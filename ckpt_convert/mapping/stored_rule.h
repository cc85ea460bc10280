// StoredRule: a tensor of a checkpoint, Hugging Face's or Megatron's, and the weights that it is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// How often something is there: once in the model, in each layer, for each expert of each layer.
enum class Each { model, layer, expert };

constexpr std::string_view name(Each each) {
    return each == Each::model ? "model" : each == Each::layer ? "layer" : "expert";
}

// Where a tensor lives in a pipeline: with the embedding, with its layer, with the final norm, with the modules for multi-token
// prediction, with the output layer.
enum class Stage { first, layer, norm, mtp, last };

// In a name: the layer's number among the layers that have the tensor.
inline constexpr std::string_view kNth = "{nth}";

// What is added to a weight.
struct Addend {
    float number = 0;
    operator float() const { return number; }
};

// A number for a value of the model.
struct Setting {
    std::string value;
    std::int64_t number = 0;
};

// --- How the weights come together along their axis

struct OneAfterTheOther {};
struct Interleaved {
    Expression rounds;                // a share of each weight in turn
    std::vector<std::string> repeat;  // weights whose share may serve several rounds: key and value heads
};
// The slices of the weights along this axis come one after the other.
struct Unzipped {
    std::size_t axis = 0;
};

// --- How the file has what they come to

struct AsItIs {};
struct Padded {
    Expression rows;          // axis 0 is filled up to so many
    bool with_zeros = false;  // whatever fills up a vocabulary
};
// This many rows after each other are the same, and the file has one.
struct Once {
    Expression rows;
};
// Of this many rows after each other those of the first half and of the second stand in turn.
struct Paired {
    Expression rows;
};
// In which order the axes lie in memory, and how the weights of a layer's experts lie in one tensor.
struct Stacked {
    static constexpr int kExperts = -1;
    std::vector<int> memory;  // slowest first: the axes, and kExperts when the tensor holds all experts of the layer
    std::vector<std::vector<int>> axes;  // the tensor's axes, each the product of these; empty: those of `memory`

    bool of_experts() const { return std::find(memory.begin(), memory.end(), kExperts) != memory.end(); }
};

struct StoredRule {
    // "{layer}" is the layer's number in the model, "{local_layer}" its number in the pipeline stage, "{nth}" its number
    // among the layers that have the tensor, which are one tensor in torch_dist. "{expert}" and "{local_expert}" are the
    // number of an expert in the model and on the rank, "{prefix}" one of ModelMapping::hf_prefixes.
    DialectNames names;
    DialectSelector dialect;  // the dialects that have this tensor at all
    std::vector<std::string> weights;
    Axis axis;  // the weights are joined along it
    std::variant<OneAfterTheOther, Interleaved, Unzipped> join;
    std::variant<AsItIs, Padded, Once, Paired, Stacked> form_in_file;
    std::optional<Axis> shard;  // split over the TP ranks along this axis; absent: every rank has all of it
    Addend plus;                // what is stored is the weight plus this number
    Stage stage = Stage::layer;
    Each each = Each::model;
    std::string form;  // belongs to one of several ways to store the same, of which a checkpoint has one; "": to all
    bool optional = false;  // may be absent in a source, and is never written
    bool copy = false;      // may be absent in a source that holds its weights elsewhere too
    // Of a tensor that repeats weights: what the model is when the bits are not those of its weights. Without it such a
    // tensor has no place.
    std::optional<Setting> apart;
    bool extra_state = false;  // belongs to a linear layer, which Transformer Engine gives an "_extra_state"
    std::optional<Expression> when;
    bool scalar = false;  // a number that the file has without an axis; not in mapping files

    const Interleaved* interleaved() const { return std::get_if<Interleaved>(&join); }
    const Unzipped* unzipped() const { return std::get_if<Unzipped>(&join); }
    const Padded* padded() const { return std::get_if<Padded>(&form_in_file); }
    const Once* once() const { return std::get_if<Once>(&form_in_file); }
    const Paired* paired() const { return std::get_if<Paired>(&form_in_file); }
    const Stacked* stacked() const { return std::get_if<Stacked>(&form_in_file); }
    bool stacks_experts() const { return stacked() != nullptr && stacked()->of_experts(); }
    bool of_experts() const { return each == Each::expert || stacks_experts(); }

    // The name in this dialect; nullptr when the dialect does not have the tensor.
    const std::string* name(const Dialect& dialect) const;
};

// A tensor as a file has it: each form by a key of its own, of which some exclude each other.
struct StoredEntry : StoredRule {
    std::optional<Stage> stage_key;
    std::optional<Expression> interleave, pad, same_rows, pairs;
    std::vector<std::string> repeat;
    std::optional<Axis> unzip;
    bool pad_zero = false;
    std::string stack, stack_shape;

    Status check(const base::JsonPlace& at);

private:
    Status settle_join(const base::JsonPlace& at);
    Status settle_form(const base::JsonPlace& at);
};

constexpr auto record_of(const StoredEntry*) {
    using base::field;
    using Entry = StoredEntry;
    return base::record(
        "tensor", "",
        field("name", &Entry::names,
              "`{layer}` is the layer's number in the model, `{local_layer}` its number in the pipeline stage, `{nth}` "
              "(mcore only, in names for torch_dist) its number among the layers that have the tensor, with "
              "`layers_apart` its number in the model; `{expert}` and `{local_expert}` the number of an expert, "
              "`{prefix}` one of `hf_prefixes`. An object gives one name per dialect; the first that fits counts")
            .needed(),
        field("of", &Entry::weights,
              "the weights, joined in this order along `axis`; one that is there twice is read where it is first")
            .needed(),
        field("axis", &Entry::axis, "the axis along which the weights are joined; without it 0"),
        field("each", &Entry::each, "how often it is there: once, per layer, per expert"),
        field("stage", &Entry::stage_key,
              "the pipeline stage of a tensor that is there once: `first` (without it) or `last`"),
        field("interleave", &Entry::interleave,
              "joined in this many rounds (which may differ by layer), each with an equal share of every weight: query "
              "heads, key head, value head of one KV group after the other"),
        field("unzip", &Entry::unzip,
              "the slices of the weights along this axis come one after the other, along `axis`: a weight of `ffn` "
              "pairs, `[\"ffn\", \"2\", \"hidden\"]`, becomes the first of all pairs, then the second, "
              "`[2 * ffn, hidden]`"),
        field("pad", &Entry::pad,
              "axis 0 has this many rows; those beyond the weights are padding of the vocabulary. What a source has "
              "there is not read"),
        field("pad_zero", &Entry::pad_zero, "with `pad`: the rows beyond the weights are zeros"),
        field("stack", &Entry::stack,
              "the order of the axes in memory, the slowest first: `\"1 0\"` is transposed. With `expert` among them, "
              "with `each: \"layer\"` and of weights of experts: all experts of the layer (on the rank) in one tensor; "
              "`\"expert 1 0\"` is expert after expert, each transposed"),
        field("stack_shape", &Entry::stack_shape,
              "the shape that such a tensor claims to have, when it is not that of `stack`: `\"1, expert 0\"` is two "
              "axes, the second as long as experts times axis 0; `one` is an axis of length 1"),
        field("plus", &Entry::plus,
              "what is stored is the weight plus this number: the weight of a norm that multiplies by 1 + weight, "
              "less 1. It is added in float32 and rounded once"),
        field("copy", &Entry::copy, "written, and may be absent in a source that has the weights elsewhere too"),
        field("apart", &Entry::apart,
              "of a tensor that repeats weights: the value that the model has when its bits are others, so that other "
              "tensors are there, `{\"tied\": 0}`; the bits are compared before a conversion is planned. Without it "
              "such a tensor has no place, and is refused"),
        field("optional", &Entry::optional,
              "may be in a source and is never written: a head stored although it is tied"),
        field("when", &Entry::when,
              "the tensor is there where this is not 0: an expression over the values, and on the mcore side over the "
              "facts of the layout"));
}

struct HfTensor : StoredEntry {};
constexpr auto record_of(const HfTensor*) {
    return base::extended(
        record_of(static_cast<const StoredEntry*>(nullptr)), "hf_tensor", "a tensor of a Hugging Face checkpoint",
        base::field(
            "form", &HfTensor::form,
            "the tensor belongs to one of several ways to store the same. The first way in the file is written, "
            "the one is read whose names and shapes are found"),
        base::field(
            "once", &HfTensor::same_rows,
            "this many rows of the weight after each other are the same, and the tensor has one of them. Of rows "
            "that training made different the first is written"));
}

struct McoreTensor : StoredEntry {};
constexpr auto record_of(const McoreTensor*) {
    return base::extended(
        record_of(static_cast<const StoredEntry*>(nullptr)), "mcore_tensor",
        "a tensor of one rank of a Megatron checkpoint",
        base::field("shard", &McoreTensor::shard,
                    "the axis that is split over the TP ranks. With `interleave` or `pad` the joined tensor is split; "
                    "without, each weight by itself, so that a rank's gated MLP is its gate rows, then its up rows. "
                    "Without it every rank holds all of it"),
        base::field("repeat", &McoreTensor::repeat,
                    "with `interleave`: the weights that serve several rounds when there are more TP ranks than rounds "
                    "(key and value heads)"),
        base::field("dialect", &McoreTensor::dialect, "the dialects that have this tensor at all"),
        base::field("extra_state", &McoreTensor::extra_state,
                    "the weight of a linear layer, which Transformer Engine gives an `_extra_state`"));
}

}  // namespace ckpt

template <>
inline constexpr auto base::kAll<ckpt::Each> = std::to_array({ckpt::Each::model, ckpt::Each::layer,
                                                              ckpt::Each::expert});

namespace base {

template <>
struct InJson<ckpt::Stage> {
    static Result<ckpt::Stage> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::Addend> {
    static Result<ckpt::Addend> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("number"); }
};
// {"tied": 0}
template <>
struct InJson<ckpt::Setting> {
    static Result<ckpt::Setting> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};

}  // namespace base
