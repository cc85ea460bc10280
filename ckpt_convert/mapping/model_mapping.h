// ModelMapping: a file of rules/models/: the weights of a model family, and how Hugging Face and mcore store them.
//
//   values   sizes and switches, from config.json or from the arguments of a Megatron checkpoint
//   weights  the logical tensors: full, unsharded, with layout-neutral names
//   hf       the tensors of a Hugging Face checkpoint, each made of one or more weights
//   mcore    the same for one rank of a Megatron checkpoint
//   args     what the arguments object of a Megatron checkpoint says
//   flags    what a training run must be told on its command line to use the checkpoint
//
// The format is described in rules/models/README.md.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/json.h"
#include "base/result.h"
#include "ckpt_convert/mapping/dialect.h"
#include "ckpt_convert/mapping/expression.h"

namespace ckpt {

// How often something is there: once in the model, in each layer, for each expert of each layer.
enum class Each { model, layer, expert };

struct ValueRule {
    std::string name;
    Each each = Each::model;          // of each layer: from a list in the config, or a default that uses "layer"
    std::vector<std::string> listed;  // of each layer: lists in config.json with the numbers of the layers that have 1
    std::int64_t listed_from = 0;     // the number of the first layer in them
    // Dotted paths in config.json, the first that is there counts. With "*" as one of its names a path leads into every item
    // of a list.
    std::vector<std::string> config;
    std::vector<std::string> arguments;  // names in the Megatron arguments, or paths into texts there that are JSON
    bool argument_negated = false;       // "!untie_...": the argument says the opposite
    // By argument: another one without which it does not count. That one must be true, where it is there.
    std::map<std::string, std::string, std::less<>> argument_needs;
    std::vector<std::string> is;         // the value is 1 when the config has one of these texts there, else 0
    bool count = false;                  // a list or a text there counts by its length
    bool first = false;                  // of a list there the first number counts
    std::int64_t times = 1;              // numbers there, which may have a fraction, times this, and rounded
    std::optional<Expression> fallback;  // from other values
};

struct WeightRule {
    std::string name;  // "attention.q"
    Each each = Each::model;
    bool cast = true;     // false: keeps its element type, whatever the others are cast to
    bool buffer = false;  // of its module: no optimizer trains it
    // The model computes nothing with it: zeros where a source lacks it, and no loss where a target has no place for it.
    std::optional<Expression> unused;
    std::vector<Expression> shape;
    std::optional<Expression> when;
};

// Where a tensor lives in a pipeline.
enum class Stage { first, layer, last };

// In which order the axes of a tensor lie in memory, where that is not their own; and how the weights of a layer's experts
// lie in one tensor.
struct ExpertStack {
    static constexpr int kExperts = -1;
    std::vector<int>
        memory;  // the slowest first: the axes, and kExperts when the tensor holds all experts of the layer
    std::vector<std::vector<int>> axes;  // the tensor's axes, each the product of these; empty: those of `memory`

    bool of_experts() const { return std::find(memory.begin(), memory.end(), kExperts) != memory.end(); }
};

// In a name: the layer's number among the layers that have the tensor.
inline constexpr std::string_view kNth = "{nth}";

// A number for a value of the model.
struct Setting {
    std::string value;
    std::int64_t number = 0;
};

struct StoredRule {
    // The first selector that matches decides. "{layer}" is the layer's number in the model, "{local_layer}" its number
    // in the pipeline stage, "{nth}" its number among the layers that have the tensor, which are one tensor in torch_dist.
    // "{expert}" and "{local_expert}" are the number of an expert in the model and on the rank, "{prefix}" one of
    // ModelMapping::hf_prefixes.
    std::vector<std::pair<DialectSelector, std::string>> names;
    DialectSelector dialect;  // the dialects that have this tensor at all
    std::vector<std::string> weights;
    int axis = 0;                          // the weights are joined along this axis
    std::optional<Expression> interleave;  // in this many rounds: a share of each weight in turn
    std::vector<std::string> repeat;       // weights whose share may serve several rounds: key and value heads
    std::optional<int> shard;              // split over the TP ranks along this axis; absent: every rank has all of it
    std::optional<Expression> pad;         // axis 0 is filled up to this many rows
    bool pad_zero = false;                 // with zeros, whatever fills up a vocabulary
    float plus = 0;                        // what is stored is the weight plus this number
    Stage stage = Stage::layer;
    Each each = Each::model;
    std::optional<int> unzip;        // the slices of the weights along this axis come one after the other
    std::optional<Expression> once;  // this many rows after each other are the same, and the file has one; hf only
    ExpertStack stack;
    std::string form;  // belongs to one of several ways to store the same, of which a checkpoint has one; "": to all
    bool optional = false;  // may be absent in a source, and is never written
    bool copy = false;      // may be absent in a source that holds its weights elsewhere too
    // Of a tensor that repeats weights: what the model is when the bits are not those of its weights. Without it such a
    // tensor has no place.
    std::optional<Setting> apart;
    bool extra_state = false;  // belongs to a linear layer, which Transformer Engine gives an "_extra_state"
    std::optional<Expression> when;

    // The name in this dialect; nullptr when the dialect does not have the tensor.
    const std::string* name(const Dialect& dialect) const;
};

// What a layout must be for the framework to run the model.
struct Requirement {
    DialectSelector dialect;
    std::optional<Expression> that;
    std::string because;
};

struct ArgumentRule {
    std::string name;
    enum class Kind { literal, integer, boolean, ratio, text, list, letters, from_config } kind = Kind::literal;
    // Of `literal`; the fallback of `from_config`; of `letters`: an object of letters and values of each layer.
    base::Json literal;
    std::string
        text;  // of `text`: the name of a fact of the layout, such as the noop layers; of `list`: a value of each layer
    std::optional<Expression> expression;  // of `integer`, `boolean` and `ratio`
    std::optional<Expression> divisor;     // of `ratio`
    std::vector<std::string> config;       // of `from_config`
    std::optional<Expression> when;        // when false: `otherwise`, or left out
    std::optional<base::Json> otherwise;
};

struct ModelMapping {
    std::string family;
    std::string title;
    std::string origin;                    // the file, for messages
    std::vector<std::string> model_types;  // "model_type" of config.json
    // By model type: what the class of such configs takes for keys that a config lacks.
    std::map<std::string, base::Json, std::less<>> config_defaults;
    std::vector<std::string> peer_names;  // what --model-type-hf calls it
    std::vector<std::string> trained_by;  // the targets that have its layers; empty: all
    std::vector<ValueRule> values;
    std::vector<WeightRule> weights;
    std::vector<StoredRule> hf;
    std::vector<StoredRule> mcore;
    std::vector<Requirement> requirements;  // of mcore layouts
    std::vector<ArgumentRule> args;
    std::vector<ArgumentRule> flags;
    // What names of MTP layers begin with, instead of all to "{layer}.", and of "decoder.layers.{local_layer}.".
    std::string mtp_hf;  // empty: as other layers
    std::vector<std::pair<DialectSelector, std::string>> mtp_mcore;
    std::vector<std::string> ignore;       // glob patterns of tensors that carry no weights, on either side
    std::vector<std::string> hf_prefixes;  // what "{prefix}" may stand for; the first is written
    std::vector<std::string> source;       // where the facts come from, for people
    // torch_dist has each layer's tensors by themselves, even if all are alike; absent: no.
    std::optional<Expression> layers_apart;

    // The names of a layer's tensor in layers for multi-token prediction.
    std::string mtp_hf_name(const std::string& name) const;
    std::string mtp_mcore_name(const std::string& name, const Dialect& dialect) const;
    // The first of the forms that `hf` has, which is the one that is written; "" when it has none.
    std::string hf_form() const;
    // Versions of megatron-core at which a name changes.
    std::vector<CoreVersion> version_boundaries() const;
    bool ignores(std::string_view tensor) const;
};

// Glob with "*" for any run of characters.
bool matches_pattern(std::string_view pattern, std::string_view text);

// All families of rules/models/.
class MappingRegistry {
public:
    // Strict: unknown keys, names without definition, weights that one side never stores are rule_data errors.
    static base::Result<MappingRegistry> load(const base::DataStore& store);

    const std::vector<ModelMapping>& families() const { return families_; }
    // The family of a config.json. Fails with unsupported, and says what can be done.
    base::Result<const ModelMapping*> for_config(const base::JsonDocument& config) const;
    // The family by its own name or a peer's name for it.
    base::Result<const ModelMapping*> for_name(std::string_view name) const;

private:
    base::Status add_config_defaults(const base::JsonDocument& document);

    std::vector<ModelMapping> families_;  // by family name
};

}  // namespace ckpt
