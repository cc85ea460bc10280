// ModelMapping: a file of rules/models/: the weights of a model family, and how Hugging Face and mcore store them.
//
//   values   sizes and switches, from config.json or from the arguments of a Megatron checkpoint
//   weights  the logical tensors: full, unsharded, with layout-neutral names
//   hf       the tensors of a Hugging Face checkpoint, each made of one or more weights
//   mcore    the same for one rank of a Megatron checkpoint
//   args     what the arguments object of a Megatron checkpoint says
//
// The format is described in rules/models/README.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/json.h"
#include "base/result.h"
#include "ckpt_convert/mapping/expression.h"

namespace ckpt {

struct ValueRule {
    std::string name;
    std::vector<std::string> config;     // dotted paths in config.json, the first that is there counts
    std::vector<std::string> arguments;  // names in the Megatron arguments
    bool argument_negated = false;       // "!untie_...": the argument says the opposite
    std::optional<Expression> fallback;  // from values defined earlier
};

struct WeightRule {
    std::string name;  // "attention.q"
    bool each_layer = false;
    std::vector<Expression> shape;
    std::optional<Expression> when;
};

// Where a tensor lives in a pipeline.
enum class Stage { first, layer, last };

struct StoredRule {
    // By dialect ("local", "te"); one entry under "" when all dialects agree. "{layer}" is the layer's number in the
    // model, "{local_layer}" its number in the pipeline stage.
    std::map<std::string, std::string, std::less<>> names;
    std::vector<std::string> weights;
    int axis = 0;                          // the weights are joined along this axis
    std::optional<Expression> interleave;  // in this many rounds: a share of each weight in turn
    std::optional<int> shard;              // split over the TP ranks along this axis; absent: every rank has all of it
    Stage stage = Stage::layer;
    bool each_layer = false;
    bool optional = false;  // may be absent in a source, and is never written
    std::optional<Expression> when;

    // The name in this dialect.
    const std::string& name(std::string_view dialect) const;
};

struct ArgumentRule {
    std::string name;
    enum class Kind { literal, integer, boolean, from_config } kind = Kind::literal;
    base::Json literal;                    // of `literal`; the fallback of `from_config`
    std::optional<Expression> expression;  // of `integer` and `boolean`
    std::vector<std::string> config;       // of `from_config`
    std::optional<Expression> when;        // left out when false
};

struct ModelMapping {
    std::string family;
    std::string title;
    std::string origin;                    // the file, for messages
    std::vector<std::string> model_types;  // "model_type" of config.json
    std::vector<std::string> peer_names;   // what --model-type-hf calls it
    std::vector<ValueRule> values;
    std::vector<WeightRule> weights;
    std::vector<StoredRule> hf;
    std::vector<StoredRule> mcore;
    std::vector<ArgumentRule> args;
    std::vector<std::string> ignore;  // glob patterns of Hugging Face tensors that carry no weights

    std::vector<std::string> dialects() const;  // of the mcore names, "local" first
    bool ignores(std::string_view hf_tensor) const;
};

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
    std::vector<ModelMapping> families_;  // by family name
};

}  // namespace ckpt
